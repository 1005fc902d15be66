import { createQuery } from '@agentmesh/lib/pg';

interface AgentKey {
  readonly accountId: string;
  readonly agentId: number;
}

export interface AgentVersionRow {
  readonly version: number;
  readonly fields: string;
  readonly created_at: Date;
}

/** Stores the fields of a version. */
export const insertVersion = createQuery<AgentKey & { version: number; fields: string }>({
  name: 'insert-agent-version',
  text: (param) => `insert into agent_versions (account_id, agent_id, version, fields)
    values (${param.accountId}, ${param.agentId}::integer, ${param.version}::integer, ${param.fields}::json)`,
});

/** The versions of an agent, newest first. */
export const selectVersions = createQuery<AgentKey, AgentVersionRow>({
  name: 'select-agent-versions',
  text: (param) => `select version, fields, created_at from agent_versions
    where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer order by version desc`,
});

/** One version of an agent. */
export const selectVersion = createQuery<AgentKey & { version: number }, AgentVersionRow>({
  name: 'select-agent-version',
  text: (param) => `select version, fields, created_at from agent_versions
    where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer and version = ${param.version}::integer`,
});

/** Deletes the versions up to `upTo`; all of them when it is the newest. */
export const deleteVersions = createQuery<AgentKey & { upTo: number }>({
  name: 'delete-agent-versions',
  text: (param) => `delete from agent_versions
    where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer and version <= ${param.upTo}::integer`,
});

/** Deletes the oldest versions that have more than `mostBytes` together with all newer ones. The newest version always stays. */
export const deleteVersionsBeyond = createQuery<AgentKey & { mostBytes: number }>({
  name: 'delete-agent-versions-beyond',
  text: (param) => `delete from agent_versions
    where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer and version = any(array(
      select version from (
        select version, row_number() over newest as place, sum(octet_length(fields::text)) over newest as bytes
        from agent_versions where account_id = ${param.accountId} and agent_id = ${param.agentId}::integer
        window newest as (order by version desc)
      ) measured where place > 1 and bytes > ${param.mostBytes}::integer
    ))`,
});
