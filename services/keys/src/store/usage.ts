import { createQuery, type Placeholders, type Query } from '@agentmesh/lib/pg';

/** Filter and grouping of usage. Null fields match everything. */
export interface UsageFilter {
  readonly accountId: string;
  readonly fromDay: string;
  readonly toDay: string;
  readonly appName: string | null;
  readonly userId: string | null;
  readonly keyId: bigint | null;
  readonly invocationId: string | null;
  readonly byDay: boolean;
  readonly byApp: boolean;
  readonly byUser: boolean;
  readonly byKey: boolean;
  readonly byModel: boolean;
  readonly byRun: boolean;
  readonly limit: number;
}

/** A sum; parts that it is not grouped by are null. */
export interface UsageRow {
  readonly day: string | null;
  readonly app_name: string | null;
  readonly user_id: string | null;
  readonly key_id: bigint | null;
  readonly model: string | null;
  readonly invocation_id: string | null;
  readonly calls: bigint;
  readonly input_tokens: bigint;
  readonly cached_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cost_nanos: bigint;
  readonly unpriced_calls: bigint;
}

const sums = ['calls', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost_nanos', 'unpriced_calls']
  .map((name) => `sum(${name})::bigint as ${name}`)
  .join(', ');

/** `runs`: SQL condition on the run. */
const sumUp = (
  name: string,
  table: 'usage_days' | 'usage_runs',
  runs?: (param: Placeholders<UsageFilter>) => string,
): Query<UsageFilter, UsageRow> =>
  createQuery<UsageFilter, UsageRow>({
    name,
    text: (param) => `select case when ${param.byDay}::boolean then day::text end as day,
        case when ${param.byApp}::boolean then app_name end as app_name,
        case when ${param.byUser}::boolean then user_id end as user_id,
        case when ${param.byKey}::boolean then key_id end as key_id,
        case when ${param.byModel}::boolean then provider || '/' || model end as model,
        ${table === 'usage_runs' ? `case when ${param.byRun}::boolean then invocation_id end` : 'null::text'} as invocation_id, ${sums}
      from ${table}
      where account_id = ${param.accountId} and day between ${param.fromDay}::date and ${param.toDay}::date
        and (${param.appName}::text is null or app_name = ${param.appName})
        and (${param.userId}::text is null or user_id = ${param.userId})
        and (${param.keyId}::bigint is null or key_id = ${param.keyId})
        ${runs === undefined ? '' : `and ${runs(param)}`}
      group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6 limit ${param.limit}`,
  });

/** See SumUsageRequest. */
interface AllUsageFilter {
  readonly fromDay: string;
  readonly toDay: string;
  readonly byAccount: boolean;
  readonly byModel: boolean;
  readonly byApp: boolean;
  readonly limit: number;
}

/** Sums of the use of all accounts, the highest cost first. */
export const sumAllUsage = createQuery<AllUsageFilter, UsageRow & { readonly account_id: string | null }>({
  name: 'sum-usage-of-all-accounts',
  text: (param) => `select case when ${param.byAccount}::boolean then account_id end as account_id,
      case when ${param.byModel}::boolean then provider || '/' || model end as model,
      case when ${param.byApp}::boolean then app_name end as app_name, ${sums}
    from usage_days where day between ${param.fromDay}::date and ${param.toDay}::date
    group by 1, 2, 3 order by sum(cost_nanos) desc, 1, 2, 3 limit ${param.limit}`,
});

/** Sums of the use by day. */
export const sumUsageDays = sumUp('sum-usage-days', 'usage_days');
/** Sums of the use by run, which can also be grouped by run. */
export const sumUsageRuns = sumUp('sum-usage-runs', 'usage_runs');
/** Sums of the use of one run. */
export const sumUsageRun = sumUp('sum-usage-run', 'usage_runs', (param) => `invocation_id = ${param.invocationId}`);
