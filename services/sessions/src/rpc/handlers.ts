import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof SessionsService>;
