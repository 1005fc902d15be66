import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** Sums over the runs of an account. */
export interface SlowAccountRow {
  readonly account_id: string;
  readonly runs: number;
  readonly active: number;
  readonly failed: number;
  /** Time in seconds. */
  readonly mean: number;
  readonly longest: number;
  readonly queued: number;
  readonly executed: number;
}

const sumRuns = createQuery<{ minutes: number }, SlowAccountRow>({
  name: 'sum-runs-by-account',
  text: (param) => `with r as (
      select account_id, status, ended_at,
        case when attempt <= 1 then extract(epoch from coalesce(started_at, ended_at, now()) - created_at)::float8 else 0 end as queued,
        coalesce(extract(epoch from coalesce(ended_at, now()) - started_at)::float8, 0) as executed
      from runs where created_at > now() - make_interval(mins => ${param.minutes}::integer) or ended_at is null
    )
    select account_id, count(*)::integer as runs, count(*) filter (where ended_at is null)::integer as active,
      count(*) filter (where status = 'failed')::integer as failed, avg(queued + executed)::float8 as mean, max(queued + executed)::float8 as longest,
      sum(queued)::float8 as queued, sum(executed)::float8 as executed
    from r group by account_id order by mean desc limit 100`,
});

/** The accounts whose runs of the last minutes took longest; those that have not ended count too. */
export function selectSlowAccounts(db: Queryable, minutes: number): Promise<SlowAccountRow[]> {
  return sumRuns(db, { minutes });
}

interface WaitRow {
  readonly account_id: string;
  readonly waiting_on: string;
  readonly seconds: number;
}

const sumWaits = createQuery<{ minutes: number; accountIds: readonly string[] }, WaitRow>({
  name: 'sum-waits-by-account',
  text: (
    param,
  ) => `select account_id, waiting_on, sum(extract(epoch from told_at) - since)::float8 as seconds from run_waits
    where account_id = any(${param.accountIds}::uuid[]) and told_at > now() - make_interval(mins => ${param.minutes}::integer)
    group by account_id, waiting_on`,
});

/** How long runs of accounts have waited for parts of the mesh, without waits that nobody told. */
export function selectWaitsOfAccounts(
  db: Queryable,
  minutes: number,
  accountIds: readonly string[],
): Promise<WaitRow[]> {
  return sumWaits(db, { minutes, accountIds });
}
