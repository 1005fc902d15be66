import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** An agent whose retention the sessions service has not been told. */
export interface UntoldAgent {
  readonly account_id: string;
  readonly agent_id: number;
  readonly version: number;
  /** Text of the field; null: it is not set. */
  readonly retention: string | null;
}

/** Some of the agents whose retention was changed. */
export const selectUntoldAgents = createQuery<{ limit: number }, UntoldAgent>({
  name: 'select-untold-retention',
  text: (param) => `select account_id, agent_id, version, fields->>'retention' as retention from agents
    where retention_untold order by account_id, agent_id limit ${param.limit}::integer`,
});

interface ToldValues {
  readonly accountId: string;
  readonly agentIds: readonly number[];
  readonly versions: readonly number[];
}

const setTold = createQuery<ToldValues>({
  name: 'set-retention-told',
  text: (param) => `update agents a set retention_untold = false
    from unnest(${param.agentIds}::integer[], ${param.versions}::integer[]) as t(agent_id, version)
    where a.account_id = ${param.accountId} and a.agent_id = t.agent_id and a.version = t.version`,
});

/** Notes that the sessions service knows the retention of these versions. Agents that have changed since are told again. */
export async function updateToldAgents(db: Queryable, agents: readonly UntoldAgent[]): Promise<void> {
  for (const [accountId, some] of Map.groupBy(agents, (agent) => agent.account_id)) {
    const [agentIds, versions] = [some.map((agent) => agent.agent_id), some.map((agent) => agent.version)];
    await setTold(db, { accountId, agentIds, versions });
  }
}
