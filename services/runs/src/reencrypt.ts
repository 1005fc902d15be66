import { createQuery, type Database } from '@agentmesh/lib/pg';
import type { Reseal } from '@agentmesh/lib/service';
import type { AgentFields } from './apps/agents/agent-fields.ts';

interface FieldsRow {
  readonly account_id: string;
  readonly agent_id: number;
  readonly version: number;
  /** The fields as JSON. */
  readonly fields: string;
}

interface After {
  readonly account: string;
  readonly agent: number;
  readonly version: number;
}

type Table = 'agents' | 'agent_versions';

const batch = 20;
const beforeAll: After = { account: '00000000-0000-0000-0000-000000000000', agent: -1, version: -1 };

function queriesOf(table: Table) {
  return {
    select: createQuery<After & { limit: number }, FieldsRow>({
      text: (param) => `select account_id, agent_id, version, fields from ${table}
        where (account_id, agent_id, version) > (${param.account}::uuid, ${param.agent}::integer, ${param.version}::integer)
          and fields->'mcp_servers' is not null
        order by account_id, agent_id, version limit ${param.limit}`,
    }),
    /** Replaces fields, unless they have changed since they were read. */
    replace: createQuery<After & { from: string; to: string }, never>({
      text: (param) => `update ${table} set fields = ${param.to}::json
        where account_id = ${param.account} and agent_id = ${param.agent}::integer and version = ${param.version}::integer
          and fields::text = ${param.from}`,
    }),
  };
}

export interface Reencryption {
  readonly db: Database;
  readonly reseal: Reseal;
  /** Takes lines about the progress. */
  readonly print: (line: string) => void;
}

/** Seals the values of headers of agents and of their versions again under the present `ENCRYPT_KEY`. It may run beside the service, and again after it was ended. */
export async function reencrypt(options: Reencryption): Promise<void> {
  for (const table of ['agents', 'agent_versions'] as const) await reencryptTable(table, options);
}

async function reencryptTable(table: Table, { db, reseal, print }: Reencryption): Promise<void> {
  const { select, replace } = queriesOf(table);
  const total = { done: 0, unreadable: 0 };
  for (let after = beforeAll; ; ) {
    const rows = await select(db, { ...after, limit: batch });
    for (const row of rows) {
      const to = await resealFields(row, reseal, total);
      after = { account: row.account_id, agent: row.agent_id, version: row.version };
      if (to !== row.fields) await replace(db, { ...after, from: row.fields, to });
    }
    if (rows.length === 0) break;
  }
  const { done, unreadable } = total;
  print(`${table}.fields: headers encrypted again: ${done}; cannot be opened, must be entered again: ${unreadable}`);
}

/** The text of the fields with other envelopes: all else stays as it is, to the byte. */
async function resealFields(
  { account_id: accountId, fields }: FieldsRow,
  reseal: Reseal,
  total: { done: number; unreadable: number },
): Promise<string> {
  let text = fields;
  const { mcp_servers: servers = [] } = JSON.parse(fields) as AgentFields;
  for (const { url, headers = {} } of servers) {
    for (const [name, envelope] of Object.entries(headers)) {
      const to = await reseal(envelope, { kind: 'header', accountId, url, name });
      if (to === undefined) total.unreadable += 1;
      else if (to !== envelope) {
        total.done += 1;
        text = text.replaceAll(JSON.stringify(envelope), JSON.stringify(to));
      }
    }
  }
  return text;
}
