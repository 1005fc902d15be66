import { createQuery } from '@agentmesh/lib/pg';

export interface AwaitedRun {
  readonly account_id: string;
  readonly invocation_id: string;
}

interface RunKey {
  readonly accountId: string;
  readonly invocationId: string;
}

/** Notes that the end of a run becomes a notice. Does nothing when that is noted already. */
export const insertAwaitedRun = createQuery<RunKey & { title: string }>({
  name: 'insert-awaited-run',
  text: (param) => `insert into awaited_runs (account_id, invocation_id, title)
    values (${param.accountId}, ${param.invocationId}, ${param.title}) on conflict do nothing`,
});

/** Takes runs that are due to be looked up in the ledger, and sets when they are due again. */
export const takeDueRuns = createQuery<{ limit: number; pauseSeconds: number }, AwaitedRun>({
  name: 'take-due-awaited-runs',
  // By the rows' addresses: PostgreSQL might read the whole table to join it with the due ones.
  text: (param) => `update awaited_runs a set look_at = now() + ${param.pauseSeconds}::integer * interval '1 second'
    where ctid = any(array(
      select ctid from awaited_runs where look_at <= now() order by look_at
      limit ${param.limit}::integer for update skip locked
    ))
    returning a.account_id, a.invocation_id`,
});

/** Ends the wait for a run. No row when another process has ended it. */
export const deleteAwaitedRun = createQuery<RunKey, { title: string }>({
  name: 'delete-awaited-run',
  text: (
    param,
  ) => `delete from awaited_runs where account_id = ${param.accountId} and invocation_id = ${param.invocationId}
    returning title`,
});
