import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { ServiceImpl } from '@connectrpc/connect';

/** The type of every RPC of the service; `Handlers['getAccount']` is that of one. */
export type Handlers = ServiceImpl<typeof AuthService>;
