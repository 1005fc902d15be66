import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { RunOfSession } from '../../session-key.ts';

/** A run of an account that an executor has accepted and not started. */
export type QueuedRun = Omit<RunOfSession, 'accountId'>;

/** A run as the ledger has it now. */
export interface CheckedRun extends QueuedRun {
  /** Null when the run is gone. */
  readonly status: string | null;
  /** Whether it belongs to the executor that asks. */
  readonly own: boolean | null;
}

interface CheckValues {
  readonly accountId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly sessionPks: readonly bigint[];
  readonly invocationIds: readonly string[];
}

const checkQueued = createQuery<CheckValues, CheckedRun>({
  name: 'check-queued-runs',
  groupCommit: true,
  text: (param) => `with asked as (
      select ${param.accountId}::uuid as account_id, session_pk, invocation_id
      from unnest(${param.sessionPks}::bigint[], ${param.invocationIds}::text[]) as l(session_pk, invocation_id)
    ), kept as (
      update runs r set due_at = now() + make_interval(secs => ${param.leaseSeconds}) from asked l
      where r.account_id = l.account_id and r.session_pk = l.session_pk and r.invocation_id = l.invocation_id
        and (r.status = 'granted') is true and r.owner = ${param.owner}
    )
    select l.session_pk as "sessionPk", l.invocation_id as "invocationId", r.status, r.owner = ${param.owner} as own
    from asked l left join lateral (
      select status, owner from runs where account_id = ${param.accountId} and session_pk = l.session_pk and invocation_id = l.invocation_id offset 0
    ) r on true`,
});

/** Extends the leases of an owner's granted runs of one account, and answers the status of all the named ones. */
export function checkQueuedRuns(
  db: Queryable,
  owner: string,
  { accountId, leaseSeconds, runs }: AccountRunNames & { readonly leaseSeconds: number },
): Promise<CheckedRun[]> {
  const sessionPks = runs.map((run) => run.sessionPk);
  const invocationIds = runs.map((run) => run.invocationId);
  return checkQueued(db, { accountId, owner, leaseSeconds, sessionPks, invocationIds });
}

/** Runs of one account. */
interface AccountRunNames {
  readonly accountId: string;
  readonly runs: readonly QueuedRun[];
}

const mostCounted = 1_000;

interface QueuePlace extends QueuedRun {
  /** From 1. */
  readonly place: number;
}

const listPlaces = createQuery<Pick<CheckValues, 'accountId' | 'sessionPks' | 'invocationIds'>, QueuePlace>({
  name: 'list-queue-places',
  text: (param) => `select l.session_pk as "sessionPk", p.invocation_id as "invocationId", p.place
    from unnest(${param.sessionPks}::bigint[]) as l(session_pk)
    cross join lateral (
      select q.invocation_id, (row_number() over (order by q.position))::integer as place from (
        select invocation_id, position from runs r
        where r.account_id = ${param.accountId} and r.session_pk = l.session_pk and r.ended_at is null and r.status in ('queued', 'granted')
        order by r.position limit ${mostCounted}
      ) q
    ) p
    where p.invocation_id = any(${param.invocationIds}::text[])`,
});

/** Places of an account's waiting runs among the runs of their sessions that have not started. Runs behind the first 1,000 are left out. */
export async function selectQueuePlaces(db: Queryable, { accountId, runs }: AccountRunNames): Promise<QueuePlace[]> {
  if (runs.length === 0) return [];
  const sessionPks = [...new Set(runs.map((run) => run.sessionPk))];
  return listPlaces(db, { accountId, sessionPks, invocationIds: runs.map((run) => run.invocationId) });
}

/** Number of an account's runs that have not ended. */
export interface AccountRuns {
  readonly accountId: string;
  readonly queued: number;
  readonly running: number;
}

const countActive = createQuery<{ atLeast: number; limit: number }, AccountRuns>({
  name: 'count-runs-by-account',
  text: (param) => `select account_id as "accountId",
      count(*) filter (where status in ('queued', 'granted'))::integer as queued,
      count(*) filter (where status in ('running', 'cancelling'))::integer as running
    from runs where ended_at is null group by account_id having count(*) >= ${param.atLeast}
    order by count(*) desc limit ${param.limit}`,
});

/** The accounts with the most runs that have not ended, `limit` at most; those with fewer than `atLeast` are left out. */
export function countActiveRuns(
  db: Queryable,
  limits: { readonly atLeast: number; readonly limit: number },
): Promise<AccountRuns[]> {
  return countActive(db, limits);
}
