import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';

/** A log whose run is under way. */
export interface RunningLog {
  readonly account_id: string;
  readonly id: number;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly agent_id: number;
  readonly invocation_id: string;
  readonly attempts: number;
  /** Whether the run waited when it was looked at last. */
  readonly run_waits: boolean;
  /** When its owner has triggered it last, or when it was stored. */
  readonly began_at: Date;
}

const columns =
  'account_id, id, provider, mailbox, agent_id, invocation_id, attempts, run_waits, coalesce(round_began_at, created_at) as began_at';

// `offset 0` keeps the plan one look-up in the index for each run, whatever the statistics say.
const selectByRuns = createQuery<{ accountIds: string[]; invocationIds: string[] }, RunningLog>({
  name: 'select-running-logs',
  text: (param) => `select found.*
    from unnest(${param.accountIds}::uuid[], ${param.invocationIds}::text[]) as run(account, invocation)
    cross join lateral (
      select ${columns} from logs
      where account_id = run.account and invocation_id = run.invocation and check_at is not null offset 0
    ) as found`,
});

/** The logs whose newest run is one of these, while it is under way. */
export function selectRunningLogs(
  db: Queryable,
  runs: readonly { readonly accountId: string; readonly invocationId: string }[],
): Promise<RunningLog[]> {
  const accountIds = runs.map(({ accountId }) => accountId);
  return selectByRuns(db, { accountIds, invocationIds: runs.map(({ invocationId }) => invocationId) });
}

const take = createQuery<{ now: Date; nextCheckAt: Date; limit: number }, RunningLog>({
  name: 'take-logs-to-check',
  text: (param) => `update logs set check_at = ${param.nextCheckAt} where ctid = any(array(
      select ctid from logs where check_at <= ${param.now} order by check_at limit ${param.limit}
      for update skip locked
    )) returning ${columns}`,
});

/** Takes logs whose run has to be looked at, and plans the next look. */
export const takeLogsToCheck = take;

const lock = createQuery<{ accountId: string; id: number; invocationId: string }, { id: number }>({
  name: 'lock-running-log',
  text: (param) => `select id from logs where account_id = ${param.accountId} and id = ${param.id}
    and invocation_id = ${param.invocationId} and check_at is not null for update`,
});

/** Locks a log while its run counts as under way. Answers whether it still does. */
export async function lockRunningLog(db: Queryable, values: Parameters<typeof lock>[1]): Promise<boolean> {
  return (await lock(db, values)).length > 0;
}

const note = createQuery<{ accountId: string; id: number; invocationId: string; waits: boolean; checkAt: Date }>({
  name: 'note-run-waits',
  text: (
    param,
  ) => `update logs set run_waits = ${param.waits}, check_at = ${param.checkAt} where account_id = ${param.accountId} and id = ${param.id}
    and invocation_id = ${param.invocationId} and check_at is not null`,
});

/** Writes whether a run that is under way waits for an answer, and plans the next look at it. */
export async function noteRunWaits(db: Queryable, values: Parameters<typeof note>[1]): Promise<void> {
  await note(db, values);
}
