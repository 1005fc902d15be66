import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Provider } from '../provider/provider.ts';

/** A log whose run is under way. */
export interface RunningLog {
  readonly account_id: string;
  readonly id: number;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly agent_id: number;
  readonly invocation_id: string;
  readonly attempts: number;
  readonly created_at: Date;
}

const columns = 'account_id, id, provider, mailbox, agent_id, invocation_id, attempts, created_at';

const selectByRun = createQuery<{ accountId: string; invocationId: string }, RunningLog>({
  name: 'select-running-log',
  text: (param) => `select ${columns} from logs
    where account_id = ${param.accountId} and invocation_id = ${param.invocationId} and check_at is not null`,
});

/** The log whose newest run has this id, while it is under way. */
export const selectRunningLogs = selectByRun;

const take = createQuery<{ now: Date; nextCheckAt: Date; limit: number }, RunningLog>({
  name: 'take-logs-to-check',
  text: (param) => `update logs set check_at = ${param.nextCheckAt} where (account_id, id) in (
      select account_id, id from logs where check_at <= ${param.now} order by check_at limit ${param.limit}
      for update skip locked
    ) returning ${columns}`,
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
