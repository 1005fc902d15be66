import type { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof ModelUseService>;
