import type { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof AgentsService>;
