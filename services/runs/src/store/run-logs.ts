import { createQuery, type Transaction } from '@agentmesh/lib/pg';

interface Account {
  readonly accountId: string;
}

interface NewLines extends Account {
  readonly invocationIds: readonly string[];
  readonly appNames: readonly string[];
  readonly userIds: readonly string[];
  readonly sessionIds: readonly string[];
  readonly attempts: readonly number[];
  readonly places: readonly number[];
  /** JSON arrays. */
  readonly lines: readonly string[];
  readonly counts: readonly number[];
  readonly bytes: readonly number[];
  readonly leftOut: readonly number[];
}

/** Stores lines of attempts, and how many were left out in all so far. */
export const insertRunLines = createQuery<NewLines>({
  name: 'insert-run-lines',
  text: (param) => `insert into run_logs
      (account_id, invocation_id, app_name, user_id, session_id, attempt, place, lines, line_count, bytes, left_out)
    select ${param.accountId}, t.invocation_id, t.app_name, t.user_id, t.session_id, t.attempt, t.place, t.lines::json, t.line_count, t.bytes, t.left_out
      from unnest(${param.invocationIds}::text[], ${param.appNames}::text[], ${param.userIds}::text[], ${param.sessionIds}::text[],
          ${param.attempts}::integer[], ${param.places}::integer[], ${param.lines}::text[], ${param.counts}::integer[],
          ${param.bytes}::integer[], ${param.leftOut}::bigint[])
        as t (invocation_id, app_name, user_id, session_id, attempt, place, lines, line_count, bytes, left_out)
    on conflict (account_id, invocation_id, app_name, user_id, session_id, attempt, place) do update set left_out = excluded.left_out`,
});

/** The id of a run is unique in its session only. */
interface LoggedRun extends Account {
  readonly invocationId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** The lines of a run, attempt by attempt. */
export const selectRunLines = createQuery<LoggedRun, { lines: string; left_out: number }>({
  name: 'select-run-lines',
  text: (param) => `select lines::text as lines, left_out::double precision as left_out from run_logs
    where account_id = ${param.accountId} and invocation_id = ${param.invocationId}
      and app_name = ${param.appName} and user_id = ${param.userId} and session_id = ${param.sessionId}
    order by attempt, place`,
});

/**
 * Lines and bytes of the other attempts of a run that are stored. Deletes those of its present attempt, which has stored none yet: a run that was deleted had
 * its id and its session.
 */
export const selectRunLinesSize = createQuery<LoggedRun & { attempt: number }, { lines: number; bytes: number }>({
  name: 'select-run-lines-size',
  text: (param) => {
    const ofRun = `account_id = ${param.accountId} and invocation_id = ${param.invocationId}
      and app_name = ${param.appName} and user_id = ${param.userId} and session_id = ${param.sessionId}`;
    return `with former as (delete from run_logs where ${ofRun} and attempt = ${param.attempt}::integer)
    select coalesce(sum(line_count), 0)::integer as lines, coalesce(sum(bytes), 0)::integer as bytes from run_logs
    where ${ofRun} and attempt <> ${param.attempt}::integer`;
  },
});

interface LogName {
  readonly account_id: string;
  readonly invocation_id: string;
}

/** Runs with lines that are older than `days`. */
export const findOldRunLines = createQuery<{ days: number; limit: number }, LogName>({
  name: 'find-old-run-lines',
  text: (param) => `select account_id, invocation_id from run_logs
    where created_at < now() - ${param.days}::integer * interval '1 day' limit ${param.limit}::integer`,
});

/** Deletes the lines of runs that are older than `days`. */
export const deleteOldRunLines = createQuery<Account & { invocationIds: readonly string[]; days: number }>({
  name: 'delete-old-run-lines',
  text: (param) => `delete from run_logs
    where account_id = ${param.accountId} and invocation_id = any(${param.invocationIds}::text[])
      and (created_at < now() - ${param.days}::integer * interval '1 day') is true`,
});

/** Deletes all lines of an account. Answers how many there were. */
export async function deleteAccountRunLines(tx: Transaction, accountId: string): Promise<{ log_lines: number }> {
  const deleted = await deleteRunLines(tx, { accountId });
  return { log_lines: deleted.reduce((sum, { lines }) => sum + lines, 0) };
}

const deleteRunLines = createQuery<Account, { lines: number }>({
  text: (param) => `delete from run_logs where account_id = ${param.accountId} returning line_count as lines`,
});
