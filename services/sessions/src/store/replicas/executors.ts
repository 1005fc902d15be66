import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { DueRun } from '../runs.ts';
import { roundInTurn } from './rounds.ts';

interface Executor {
  readonly owner: string;
  readonly leaseSeconds: number;
}

interface LivingExecutor extends Executor {
  /** See RenewLeasesRequest. */
  readonly heaviestAccountId?: string | undefined;
}

const beat = createQuery<Executor & { readonly heaviestAccountId: string | null }, { now: number }>({
  name: 'extend-executor-lease',
  text: (param) => `insert into executors as e (owner, alive_until, heaviest_account_id)
    values (${param.owner}, now() + make_interval(secs => ${param.leaseSeconds}::float8), ${param.heaviestAccountId}::uuid)
    on conflict (owner) do update set alive_until = excluded.alive_until, heaviest_account_id = excluded.heaviest_account_id
    returning extract(epoch from now())::float8 as now`,
});

/**
 * Extends the lease of an executor. Waits while `markRunsDue` marks its runs, so a look at them that follows sees the marks. Not to be committed with others: those
 * could wait for each other. Answers the database's clock in Unix seconds.
 */
export async function extendLease(db: Queryable, executor: LivingExecutor): Promise<number> {
  const { owner, leaseSeconds, heaviestAccountId = null } = executor;
  const [row] = await beat(db, { owner, leaseSeconds, heaviestAccountId });
  return row?.now ?? 0;
}

const register = createQuery<Executor>({
  name: 'register-executor',
  text: (param) => `insert into executors (owner, alive_until)
    values (${param.owner}, now() + make_interval(secs => ${param.leaseSeconds}::float8))
    on conflict (owner) do nothing`,
});

/** Gives an executor its first lease. One that has, or had, a lease keeps it as it is. */
export async function registerExecutor(db: Queryable, owner: string, leaseSeconds: number): Promise<void> {
  await register(db, { owner, leaseSeconds });
}

const findDead = createQuery<{ limit: number; seconds: number }, { owner: string }>({
  name: 'find-dead-executors',
  text: (param) => `with ${roundInTurn("'sweep'", param.seconds)}
    select owner from executors where (select began from began) and alive_until < now() order by owner limit ${param.limit}`,
});

/** Executors whose lease has expired. None when a replica has looked in the last `seconds`: under a long snapshot the table has all versions of its rows. */
export async function findDeadInTurn(
  db: Queryable,
  asked: { readonly limit: number; readonly seconds: number },
): Promise<string[]> {
  return (await findDead(db, asked)).map(({ owner }) => owner);
}

interface Marking {
  readonly owners: readonly string[];
  /** A run that was begun later is left alone: its executor was alive then. */
  readonly leaseSeconds: number;
  readonly limit: number;
}

/** SQL condition: the run is executed, and was begun more than a lease ago. Nobody may go on with it yet. */
const isHeld = (leaseSeconds: string): string =>
  `r.ended_at is null and r.due_at is null and (r.status = 'running') is true
        and r.started_at < now() - make_interval(secs => ${leaseSeconds}::float8)`;

/** Attempts from which on every death counts for a run: the account that held most may not be the one that kills executors. */
const mostSpared = 10;

/** SQL condition: another account than that of run `r` is charged with the death of its executor, a row of `gone`. A run that was marked and that nobody has taken is not spared twice. */
const isSpared = `(select heaviest_account_id from gone g where g.owner = r.owner) <> r.account_id
      and coalesce(r.takeovers, 0) >= 0 and r.attempt < ${mostSpared}`;

const markDue = createQuery<Marking, object>({
  name: 'mark-runs-due',
  text: (param) => `with gone as materialized (
      select owner, alive_until, heaviest_account_id from executors where owner = any(${param.owners}::text[]) and alive_until < now() order by owner for share
    ), held as materialized (
      select r.account_id, r.session_pk, r.invocation_id, r.owner, r.fence from runs r
      where ${isHeld(param.leaseSeconds)} and r.owner = any(array(select owner from gone))
      limit ${param.limit}
    )
    update runs r set due_at = (select alive_until from gone g where g.owner = r.owner),
      takeovers = case when ${isSpared} then coalesce(r.takeovers, 0) - 1 else r.takeovers end
    from held h
    where r.account_id = h.account_id and r.session_pk = h.session_pk and r.invocation_id = h.invocation_id
      and r.owner = h.owner and r.fence = h.fence and r.due_at is null and (r.status = 'running') is true
    returning 1`,
});

/**
 * Lets any executor go on with runs of executors whose lease has expired: `limit` of them at most. Answers how many. The executors cannot extend their leases
 * meanwhile; one that has done so just before keeps its runs. The takeover counts for no death of a run whose executor's death is charged to another account.
 */
export async function markRunsDue(db: Queryable, marking: Marking): Promise<number> {
  return (await markDue(db, marking)).length;
}

const forget = createQuery<{ owners: readonly string[]; seconds: number }>({
  name: 'forget-executors',
  text: (param) => `delete from executors
    where owner = any(${param.owners}::text[]) and alive_until < now() - make_interval(secs => ${param.seconds}::float8)`,
});

/** Deletes those of these executors whose lease expired more than `seconds` ago. */
export async function forgetExecutors(db: Queryable, owners: readonly string[], seconds: number): Promise<void> {
  await forget(db, { owners, seconds });
}

const recall = createQuery<{ leaseSeconds: number }>({
  name: 'recall-executors',
  text: (param) => `insert into executors (owner, alive_until)
    select distinct r.owner, now() from runs r
    where ${isHeld(param.leaseSeconds)} and (select true from executors e where e.owner = r.owner) is null
    on conflict (owner) do nothing`,
});

/** Enters the executors of runs that have been forgotten, with a lease that is over. */
export async function recallExecutors(db: Queryable, leaseSeconds: number): Promise<void> {
  await recall(db, { leaseSeconds });
}

const findAlive = createQuery<{ owners: readonly string[] }, { owner: string }>({
  name: 'find-alive-owners',
  text: (param) => `select owner from executors where owner = any(${param.owners}::text[]) and alive_until > now()`,
});

/** Those owners of runs with others behind them that hold a lease. Where no run waits, nothing is sent. */
export async function findAliveOwners(db: Queryable, runs: readonly DueRun[]): Promise<Set<string>> {
  const owners = new Set(runs.filter(({ hasQueue }) => hasQueue).map(({ owner }) => owner));
  if (owners.size === 0) return owners;
  const rows = await findAlive(db, { owners: [...owners] });
  return new Set(rows.map(({ owner }) => owner));
}
