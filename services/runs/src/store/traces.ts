import { createQuery, type Transaction } from '@agentmesh/lib/pg';

interface Account {
  readonly accountId: string;
}

interface NewTraces extends Account {
  readonly invocationIds: readonly string[];
  readonly userIds: readonly string[];
  /** Hash of the names of the session. */
  readonly sessionHashes: readonly Uint8Array[];
  readonly attempts: readonly number[];
  /** JSON arrays. */
  readonly spans: readonly string[];
}

/** Stores the spans of attempts. An attempt that is stored already stays as it is. */
export const insertTraces = createQuery<NewTraces>({
  name: 'insert-traces',
  text: (param) => `insert into traces (account_id, invocation_id, user_id, session_sha256, attempt, spans)
    select ${param.accountId}, t.invocation_id, t.user_id, t.session_sha256, t.attempt, t.spans::json
      from unnest(${param.invocationIds}::text[], ${param.userIds}::text[], ${param.sessionHashes}::bytea[], ${param.attempts}::integer[],
          ${param.spans}::text[])
        as t (invocation_id, user_id, session_sha256, attempt, spans)
    on conflict do nothing`,
});

interface TracedRun extends Account {
  readonly invocationId: string;
  /** The user and the session of the run: runs of several sessions may have one id. */
  readonly userId: string;
  readonly sessionSha256: Uint8Array;
  /** No spans that may be of another user's run: those that were stored without a user. */
  readonly isBound: boolean;
}

/** The spans of a run as one JSON array, attempt by attempt. */
export const selectTraces = createQuery<TracedRun, { spans: string }>({
  name: 'select-traces',
  text: (param) => `select coalesce(json_agg(s.span order by t.attempt, s.number), '[]')::text as spans
    from traces t, json_array_elements(t.spans) with ordinality as s (span, number)
    where t.account_id = ${param.accountId} and t.invocation_id = ${param.invocationId}
      and (t.session_sha256 = ${param.sessionSha256}
        or t.session_sha256 = '' and coalesce(t.user_id = ${param.userId}, not ${param.isBound}::boolean))`,
});

interface TraceName {
  readonly account_id: string;
  readonly invocation_id: string;
}

/** Runs with spans that are older than `days`. */
export const findOldTraces = createQuery<{ days: number; limit: number }, TraceName>({
  name: 'find-old-traces',
  text: (param) => `select account_id, invocation_id from traces
    where created_at < now() - ${param.days}::integer * interval '1 day' limit ${param.limit}::integer`,
});

/** Deletes the spans of runs that are older than `days`. */
export const deleteOldTraces = createQuery<Account & { invocationIds: readonly string[]; days: number }>({
  name: 'delete-old-traces',
  text: (param) => `delete from traces
    where account_id = ${param.accountId} and invocation_id = any(${param.invocationIds}::text[])
      and (created_at < now() - ${param.days}::integer * interval '1 day') is true`,
});

/** Deletes all spans of an account. */
export async function deleteAccountTraces(tx: Transaction, accountId: string): Promise<{ traces: number }> {
  return { traces: (await deleteTraces(tx, { accountId })).length };
}

const deleteTraces = createQuery<Account, { one: number }>({
  text: (param) => `delete from traces where account_id = ${param.accountId} returning 1 as one`,
});
