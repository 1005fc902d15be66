import { createQuery, type Transaction } from '@agentmesh/lib/pg';

export interface AgentRow {
  readonly agent_id: number;
  readonly name: string;
  readonly version: number;
  readonly sub_agents: number[];
  /** The fields as JSON. */
  readonly fields: string;
  /** The agent's own key in the keys service. */
  readonly key_id: bigint | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface AgentKey {
  readonly accountId: string;
  readonly agentId: number;
}

const columns = 'agent_id, name, version, sub_agents, fields, key_id, created_at, updated_at';

/** All agents of an account, oldest first. */
export const selectAgents = createQuery<{ accountId: string }, AgentRow>({
  name: 'select-agents',
  text: (param) => `select ${columns} from agents where account_id = ${param.accountId} order by agent_id`,
});

export interface AgentRange {
  readonly accountId: string;
  /** The rows begin after this id. */
  readonly afterId: number;
  /** Most rows. */
  readonly limit: number;
  /** Most bytes of the fields of all rows together; the first row comes in any case. */
  readonly maxBytes: number;
}

/** Some agents of an account, oldest first. `found`: how many there are after the id, at most `limit`. */
export const selectAgentRange = createQuery<AgentRange, AgentRow & { found: number }>({
  name: 'select-agent-range',
  text: (param) => `select ${columns}, found from (
      select ${columns}, (count(*) over ())::integer as found, row_number() over page as place,
        sum(octet_length(fields::text)) over page as bytes
      from (
        select ${columns} from agents where account_id = ${param.accountId} and agent_id > ${param.afterId}::integer
        order by agent_id limit ${param.limit}::integer
      ) first window page as (order by agent_id)
    ) measured
    where place = 1 or bytes <= ${param.maxBytes}::integer order by agent_id`,
});

/** One agent of an account. */
export const selectAgent = createQuery<AgentKey, AgentRow>({
  name: 'select-agent',
  text: (param) =>
    `select ${columns} from agents where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer`,
});

/** Those of the named agents that the account has. */
export const selectAgentsById = createQuery<{ accountId: string; agentIds: readonly number[] }, AgentRow>({
  name: 'select-agents-by-id',
  text: (param) =>
    `select ${columns} from agents where account_id = ${param.accountId} and agent_id = any(${param.agentIds}::integer[])`,
});

export interface AgentEdges {
  readonly agent_id: number;
  readonly name: string;
  readonly sub_agents: number[];
}

/** Names and sub-agents of all agents of an account. */
export const selectEdges = createQuery<{ accountId: string }, AgentEdges>({
  name: 'select-agent-edges',
  text: (param) =>
    `select agent_id, name, sub_agents from agents where account_id = ${param.accountId} order by agent_id`,
});

export interface AgentValues {
  readonly accountId: string;
  readonly name: string;
  readonly subAgents: readonly number[];
  readonly fields: string;
  readonly keyId: bigint | null;
}

/** Stores a new agent under the account's next id. To be called behind `raiseRevision`. */
export const insertAgent = createQuery<AgentValues, AgentRow>({
  name: 'insert-agent',
  text: (param) => `with place as (
      insert into agent_accounts (account_id, revision, last_agent_id) values (${param.accountId}, 1, 1)
      on conflict (account_id) do update set last_agent_id = agent_accounts.last_agent_id + 1
      returning last_agent_id
    )
    insert into agents (account_id, agent_id, name, version, sub_agents, fields, key_id, retention_untold)
    select ${param.accountId}, last_agent_id, ${param.name}, 1, ${param.subAgents}::integer[],
      ${param.fields}::json, ${param.keyId}::bigint, ${param.fields}::json->>'retention' is not null
    from place
    returning ${columns}`,
});

/** Replaces the fields of an agent and raises its version. */
export const updateAgentRow = createQuery<AgentValues & AgentKey, AgentRow>({
  name: 'update-agent',
  text: (param) => `update agents set name = ${param.name}, version = version + 1,
      sub_agents = ${param.subAgents}::integer[], fields = ${param.fields}::json, key_id = ${param.keyId}::bigint,
      updated_at = now(),
      retention_untold = retention_untold or fields->>'retention' is distinct from ${param.fields}::json->>'retention'
    where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer
    returning ${columns}`,
});

/** Deletes an agent, and returns its version and its own key. */
export const deleteAgentRow = createQuery<AgentKey, Pick<AgentRow, 'version' | 'key_id'>>({
  name: 'delete-agent',
  text: (param) => `delete from agents where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer
    returning version, key_id`,
});

const deleteOfAccount = {
  agents: { text: 'delete from agents where account_id = $1 returning 1' },
  versions: { text: 'delete from agent_versions where account_id = $1 returning 1' },
  account: { text: 'delete from agent_accounts where account_id = $1' },
};

/** Deletes all agents of an account, and returns how many rows of each kind there were. */
export async function deleteAccountAgents(
  tx: Transaction,
  accountId: string,
): Promise<{ agents: number; agent_versions: number }> {
  const versions = await tx.query(deleteOfAccount.versions, [accountId]);
  const agents = await tx.query(deleteOfAccount.agents, [accountId]);
  await tx.query(deleteOfAccount.account, [accountId]);
  return { agents: agents.length, agent_versions: versions.length };
}
