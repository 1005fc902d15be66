import type { Mesh } from '@agentmesh/lib/rpc';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { Context } from '../context.ts';
import type { createAgentHandlers } from './agents/index.ts';
import { createHandlers } from './index.ts';
import { createNoticeHandlers } from './notices/index.ts';

/** Serves every contract of the service. The handlers of agents import ADK, so the caller brings them. */
export function serveContracts(
  mesh: Pick<Mesh, 'serve'>,
  context: Context,
  agentHandlers: typeof createAgentHandlers,
): void {
  mesh.serve(RunsService, createHandlers(context));
  mesh.serve(AgentsService, agentHandlers(context));
  mesh.serve(NoticesService, createNoticeHandlers(context));
}
