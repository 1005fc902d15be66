import type { HintHandler } from '@agentmesh/lib/bus';
import type { AgentChangedSchema } from '@agentmesh/proto/runs/v1/agents';
import type { Context } from '../context.ts';

/** Looks at an account's agents again. If the hint is lost, that happens half a second later. */
export function onAgentChanged({ agentApps }: Pick<Context, 'agentApps'>): HintHandler<typeof AgentChangedSchema> {
  return ({ accountId }) => agentApps.forget(accountId);
}
