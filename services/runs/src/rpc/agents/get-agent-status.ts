import { checkAccountId } from '@agentmesh/lib/rpc';
import { agentAppName } from '../../apps/agents/agent-id.ts';
import type { Context } from '../../context.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

const timeoutMs = 10_000;

/** Returns what the ledger of runs knows of an agent. */
export function getAgentStatus(context: Context): Handlers['getAgentStatus'] {
  return async ({ agentId, ...request }) => {
    const accountId = checkAccountId(request.accountId);
    await findAgent(context, { accountId, agentId });
    const appNames = [agentAppName(agentId)];
    const { apps } = await context.sessions.summarizeRuns({ accountId, appNames }, { timeoutMs });
    const [runs] = apps;
    return { activeRuns: runs?.active ?? 0, ...(runs?.lastRun && { lastRun: runs.lastRun }) };
  };
}
