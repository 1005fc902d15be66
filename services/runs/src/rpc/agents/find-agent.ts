import type { AgentKey } from '../../apps/agents/remove-agent.ts';
import type { Context } from '../../context.ts';
import { agentNotFound } from '../../errors.ts';
import { type AgentRow, selectAgent } from '../../store/agents.ts';

/** Returns an agent of the account. Throws `agent_not_found`. */
export async function findAgent({ db }: Pick<Context, 'db'>, agent: AgentKey): Promise<AgentRow> {
  const [row] = await selectAgent(db, agent);
  if (row === undefined) throw agentNotFound();
  return row;
}
