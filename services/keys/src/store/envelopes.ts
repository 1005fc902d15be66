import { createQuery, type Query } from '@agentmesh/lib/pg';

/** A column that holds envelopes. Its table has the key (account_id, id), which the envelopes are bound to. */
export interface EnvelopeColumn {
  readonly table: 'saved_keys' | 'integrations';
  readonly column: 'secret' | 'refresh_token' | 'access_token';
}

export interface EnvelopeRow {
  readonly account_id: string;
  readonly id: bigint;
  readonly envelope: string;
}

/** A page of envelopes that do not begin with `prefix`, after a row. */
interface Page {
  readonly prefix: string;
  readonly afterAccount: string;
  readonly afterId: bigint;
  readonly limit: number;
}

/** Statements for one column. */
export interface EnvelopeQueries {
  readonly count: Query<{ prefix: string }, { number: bigint }>;
  readonly select: Query<Page, EnvelopeRow>;
  /** Replaces an envelope, unless it has changed since it was read: then it answers no row. */
  readonly replace: Query<EnvelopeReplacement, { id: bigint }>;
}

interface EnvelopeReplacement {
  readonly accountId: string;
  readonly id: bigint;
  readonly from: string;
  readonly to: string;
}

/** The statements for a column of envelopes. */
export function envelopeQueries({ table, column }: EnvelopeColumn): EnvelopeQueries {
  return {
    count: createQuery({
      text: (param) => `select count(*) as number from ${table}
        where ${column} is not null and not starts_with(${column}, ${param.prefix})`,
    }),
    select: createQuery({
      text: (param) => `select account_id, id, ${column} as envelope from ${table}
        where (account_id, id) > (${param.afterAccount}::uuid, ${param.afterId}::bigint)
          and ${column} is not null and not starts_with(${column}, ${param.prefix})
        order by account_id, id limit ${param.limit}`,
    }),
    replace: createQuery({
      text: (param) => `update ${table} set ${column} = ${param.to}
        where account_id = ${param.accountId} and id = ${param.id} and ${column} = ${param.from} returning id`,
    }),
  };
}
