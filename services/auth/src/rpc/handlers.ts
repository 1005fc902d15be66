import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof AuthService>;
