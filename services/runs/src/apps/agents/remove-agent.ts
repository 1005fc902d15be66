import { agentInUse, agentNotFound } from '../../errors.ts';
import { raiseRevision } from '../../store/agent-accounts.ts';
import { deleteVersions } from '../../store/agent-versions.ts';
import { deleteAgentRow, selectEdges } from '../../store/agents.ts';
import type { AgentsContext } from './agents-context.ts';
import { checkVersion } from './checks/check-version.ts';
import { dropModelKey } from './model-key.ts';
import { tellChange } from './tell-change.ts';

const largestVersion = 2_147_483_647;

export interface AgentKey {
  readonly accountId: string;
  readonly agentId: number;
}

export interface AgentToRemove extends AgentKey {
  /** Versions at which the agent may be; empty for any. */
  readonly ifMatch: readonly string[];
}

/** Deletes an agent with its versions, and tells all replicas. Runs that are under way go on with the agents that they began with. */
export async function removeAgent(context: AgentsContext, agent: AgentToRemove): Promise<void> {
  const { accountId, agentId, ifMatch } = agent;
  const keyId = await context.db.transaction(async (tx) => {
    await raiseRevision(tx, { accountId });
    const agents = await selectEdges(tx, { accountId });
    const parents = agents.filter(({ sub_agents: below }) => below.includes(agentId));
    if (parents.length > 0) throw agentInUse(parents.map(({ name }) => name));
    const [deleted] = await deleteAgentRow(tx, { accountId, agentId });
    if (deleted === undefined) throw agentNotFound();
    checkVersion(deleted, ifMatch);
    await deleteVersions(tx, { accountId, agentId, upTo: largestVersion });
    return deleted.key_id;
  });
  await tellChange(context, accountId);
  await dropModelKey(context, accountId, keyId);
}
