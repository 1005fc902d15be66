import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { HeldRun } from '../runs.ts';

/** Arrays of the parts of leases, one entry for each. */
interface LeaseValues {
  readonly owner: string;
  readonly accountIds: readonly string[];
  readonly sessionPks: readonly bigint[];
  readonly invocationIds: readonly string[];
  readonly fences: readonly bigint[];
}

/** Strays that one look finds. */
const mostFreed = 1_000;

type LeaseParams = Record<keyof LeaseValues, string>;

const leases = (param: LeaseParams): string =>
  `unnest(${param.accountIds}::uuid[], ${param.sessionPks}::bigint[], ${param.invocationIds}::text[], ${param.fences}::bigint[])`;

/** SQL condition: row `r` is the run of lease `l`, and is executed under it. */
const isHeld = (param: LeaseParams): string =>
  `r.account_id = l.account_id and r.session_pk = l.session_pk and r.invocation_id = l.invocation_id and r.fence = l.fence
      and (r.status = 'running') is true and r.owner = ${param.owner}`;

interface CheckedRow {
  /** Place of the lease, from 1. */
  readonly place: number;
  readonly state: 'lost' | 'due' | 'cancelling';
  readonly error_code: string | null;
}

const check = createQuery<LeaseValues, CheckedRow>({
  name: 'check-leases',
  text: (
    param,
  ) => `select l.place::integer as place, r.error_code, case when (r.fence = l.fence) is not true then 'lost'
        when r.status = 'cancelling' then 'cancelling'
        when r.status = 'running' and r.owner = ${param.owner} then 'due' else 'lost' end as state
    from ${leases(param)} with ordinality as l(account_id, session_pk, invocation_id, fence, place)
    left join lateral (
      select status, error_code, owner, fence, due_at from runs
      where account_id = l.account_id and session_pk = l.session_pk and invocation_id = l.invocation_id offset 0
    ) r on true
    where (r.status = 'running' and r.owner = ${param.owner} and r.fence = l.fence and r.due_at is null) is not true`,
});

const reclaim = createQuery<LeaseValues, { place: number }>({
  name: 'reclaim-runs',
  groupCommit: true,
  text: (param) => `update runs r set due_at = null
    from ${leases(param)} with ordinality as l(account_id, session_pk, invocation_id, fence, place)
    where ${isHeld(param)}
    returning l.place::integer as place`,
});

const release = createQuery<LeaseValues>({
  name: 'release-leases',
  groupCommit: true,
  text: (param) => `update runs r set due_at = now(), takeovers = coalesce(r.takeovers, 0) - 1
    from ${leases(param)} as l(account_id, session_pk, invocation_id, fence)
    where ${isHeld(param)}`,
});

const freeStrays = createQuery<LeaseValues & { readonly before: number }, { pk: bigint }>({
  name: 'free-stray-runs',
  text: (param) => `with known as materialized (
      select * from ${leases(param)} as l(account_id, session_pk, invocation_id, fence)
    ), stray as materialized (
      select r.account_id, r.session_pk, r.invocation_id, r.fence from runs r
      where r.ended_at is null and r.due_at is null and (r.status = 'running') is true and r.owner = ${param.owner}
        and r.started_at < to_timestamp(${param.before}::float8)
        and not exists (select from known l where l.session_pk = r.session_pk and l.fence = r.fence and l.account_id = r.account_id)
      limit ${mostFreed}
    )
    update runs r set due_at = now() from stray l where ${isHeld(param)} and r.due_at is null
    returning r.session_pk as pk`,
});

/** Outcomes of leases that are not held any more. */
export interface CheckedLeases<L> {
  readonly lost: readonly L[];
  readonly cancelled: readonly L[];
  /** Those of `cancelled` that are being stopped for another cause than cancel. */
  readonly interrupted: readonly L[];
}

/** Looks for runs of an executor that it may not go on with. A run that any executor may go on with, and none has, is its own again. */
export async function checkLeases<L extends HeldRun>(
  db: Queryable,
  owner: string,
  held: readonly L[],
): Promise<CheckedLeases<L>> {
  const rows = await check(db, toValues(owner, held));
  const inState = (state: CheckedRow['state']) => rows.filter((row) => row.state === state);
  const at = ({ place }: Pick<CheckedRow, 'place'>): L[] => held.slice(place - 1, place);
  const cancelling = inState('cancelling');
  const due = inState('due').flatMap(at);
  return {
    lost: [...inState('lost').flatMap(at), ...(await reclaimed(db, owner, due)).lost],
    cancelled: cancelling.flatMap(at),
    interrupted: cancelling.filter((row) => row.error_code !== null).flatMap(at),
  };
}

/** `lost`: runs that another executor has taken meanwhile. */
async function reclaimed<L extends HeldRun>(db: Queryable, owner: string, due: readonly L[]): Promise<{ lost: L[] }> {
  if (due.length === 0) return { lost: [] };
  const places = new Set((await reclaim(db, toValues(owner, due))).map(({ place }) => place));
  return { lost: due.filter((_, index) => !places.has(index + 1)) };
}

/** Lets any executor go on with runs of this one that began before a time, by the database's clock in Unix seconds, and are not among `held`. Answers how many. */
export async function freeStrayRuns(
  db: Queryable,
  owner: string,
  { held, before }: { readonly held: readonly HeldRun[]; readonly before: number },
): Promise<number> {
  return (await freeStrays(db, { ...toValues(owner, held), before })).length;
}

/** Lets any executor go on with runs at once, because their own is stopping; the takeover counts for none. */
export async function releaseLeases(db: Queryable, owner: string, held: readonly HeldRun[]): Promise<void> {
  if (held.length > 0) await release(db, toValues(owner, held));
}

function toValues(owner: string, held: readonly HeldRun[]): LeaseValues {
  return {
    owner,
    accountIds: held.map((run) => run.accountId),
    sessionPks: held.map((run) => run.sessionPk),
    invocationIds: held.map((run) => run.invocationId),
    fences: held.map((run) => run.fence),
  };
}
