import { createQuery } from '@agentmesh/lib/pg';

/** Stored form of LimitPeriod. */
export type PeriodWord = 'day' | 'month';

/** First days of the present periods in UTC, as SQL: the database's clock decides, since processes may differ about the day. */
export const today = `(now() at time zone 'UTC')::date`;
export const thisMonth = `date_trunc('month', now() at time zone 'UTC')::date`;

export interface LimitRow {
  readonly key_id: bigint;
  readonly period: PeriodWord;
  readonly max_calls: bigint | null;
  readonly max_tokens: bigint | null;
  readonly max_cost_nanos: bigint | null;
  /** Used and reserved in the present period. */
  readonly calls: bigint;
  readonly tokens: bigint;
  readonly cost_nanos: bigint;
  /** First day of the present period, `YYYY-MM-DD`. */
  readonly starts_on: string;
}

interface LimitPlace {
  readonly accountId: string;
  readonly keyId: bigint;
  readonly period: PeriodWord;
}

const startOf = (period: string): string => `case ${period} when 'day' then ${today} else ${thisMonth} end`;

const present = ['calls', 'tokens', 'cost_nanos']
  .map((name) => `case when starts_on = ${startOf('period')} then ${name} else 0 end as ${name}`)
  .join(', ');
const columns = `key_id, period, max_calls, max_tokens, max_cost_nanos, ${present}, (${startOf('period')})::text as starts_on`;

/** All limits of an account, with their use in the present periods. */
export const selectLimits = createQuery<{ accountId: string }, LimitRow>({
  name: 'select-limits',
  text: (param) => `select ${columns} from limits where account_id = ${param.accountId} order by key_id, period`,
});

interface NewLimit extends LimitPlace {
  readonly calls: bigint | null;
  readonly tokens: bigint | null;
  readonly costNanos: bigint | null;
}

/**
 * Sets a limit, and answers no row when the account has no such key, which cannot be deleted meanwhile. A new limit begins with what was used since its period
 * began, one that exists keeps its counts.
 */
export const upsertLimit = createQuery<NewLimit, LimitRow>({
  name: 'upsert-limit',
  text: (param) => `with owner as materialized (
      select from saved_keys where account_id = ${param.accountId}::uuid and id = ${param.keyId}::bigint for key share
    )
    insert into limits as old
      (account_id, key_id, period, max_calls, max_tokens, max_cost_nanos, starts_on, calls, tokens, cost_nanos, set_at)
    select ${param.accountId}::uuid, ${param.keyId}::bigint, ${param.period}::text, ${param.calls}::bigint,
      ${param.tokens}::bigint, ${param.costNanos}::bigint, ${startOf(param.period)}, coalesce(sum(calls), 0),
      coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(cost_nanos), 0), clock_timestamp()
    from usage_days where account_id = ${param.accountId} and day >= ${startOf(param.period)}
      and (${param.keyId} = 0 or key_id = ${param.keyId})
    having ${param.keyId} = 0 or exists (select from owner)
    on conflict (account_id, key_id, period) do update set max_calls = excluded.max_calls,
      max_tokens = excluded.max_tokens, max_cost_nanos = excluded.max_cost_nanos
    returning ${columns}`,
});

/** Removes all limits of a key. */
export const deleteLimitsOfKey = createQuery<Omit<LimitPlace, 'period'>>({
  name: 'delete-limits-of-key',
  text: (param) => `delete from limits where account_id = ${param.accountId} and key_id = ${param.keyId}`,
});

/** Removes a limit. No row when there is none. */
export const deleteLimit = createQuery<LimitPlace, { one: number }>({
  name: 'delete-limit',
  text: (param) => `delete from limits
    where account_id = ${param.accountId} and key_id = ${param.keyId} and period = ${param.period} returning 1 as one`,
});
