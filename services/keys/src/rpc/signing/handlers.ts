import type { SigningService } from '@agentmesh/proto/keys/v1/signing';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof SigningService>;
