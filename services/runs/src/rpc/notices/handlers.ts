import type { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof NoticesService>;
