import { createQuery, type Queryable, type Transaction } from '@agentmesh/lib/pg';
import type { CheckedKey, NumberedSession, RunOfSession } from '../session-key.ts';
import { laterUpdate } from './created-at.ts';
import { hasKey, hasNumber, isOfSession } from './key-condition.ts';
import { bytesOfEvents, withinSession } from './sizes.ts';
import { createWriteQuery, type Write } from './write.ts';

/** A session as far as its history is changed or copied. */
export interface SessionHistory {
  readonly pk: bigint;
  readonly version: bigint;
  readonly lastSeq: number;
  /** Sequence of its first event; null without events. It changes when retention deletes events, and with the first event. */
  readonly firstSeq: number | null;
  /** The invocation that holds the turn. */
  readonly turn: string | null;
  /** JSON; null when nothing is left out. */
  readonly view: string | null;
  /** JSON of its own state before the first event that is stored; null for none, and where that is not known. */
  readonly initialState: string | null;
  /** JSON of the versions of its own artifacts before that event; null for none. */
  readonly initialArtifacts: string | null;
}

/** SQL of the columns with what a session was before its events. */
const initial = (table: string): string =>
  `${table}.initial_state::text as "initialState", ${table}.initial_artifacts::text as "initialArtifacts"`;

const findHistory = createQuery<CheckedKey, SessionHistory>({
  name: 'find-history',
  text: (param) => `select pk, version, last_seq as "lastSeq", turn, view::text as view, ${initial('sessions')},
      (select seq from events where account_id = sessions.account_id and session_pk = sessions.pk order by seq limit 1) as "firstSeq"
    from sessions where ${hasKey(param)}`,
});

/** Undefined when there is no such session. */
export async function selectHistory(db: Queryable, key: CheckedKey): Promise<SessionHistory | undefined> {
  const [row] = await findHistory(db, key);
  return row;
}

/** A session whose turn a run holds, as far as the turn is rewound. */
export interface HeldSession extends Pick<SessionHistory, 'version' | 'view' | 'initialState' | 'initialArtifacts'> {
  readonly key: CheckedKey;
  /** The turn of the run begins behind this sequence. */
  readonly turnAfter: number;
  /** The run has had no turn before. */
  readonly isFirstTurn: boolean;
}

type HeldRow = CheckedKey & Omit<HeldSession, 'key'>;

const findHeld = createQuery<RunOfSession, HeldRow>({
  name: 'find-held-session',
  text: (
    param,
  ) => `select s.account_id as "accountId", s.app_name as "appName", s.user_id as "userId", s.id as "sessionId",
      s.version, s.view::text as view, ${initial('s')},
      coalesce(r.end_seq, r.first_seq - 1, case when r.attempt = 0 then s.last_seq else 0 end) as "turnAfter", r.end_seq is null as "isFirstTurn"
    from sessions s cross join lateral (
      select first_seq, end_seq, attempt from runs where account_id = s.account_id and session_pk = s.pk and invocation_id = ${param.invocationId} offset 0
    ) r where ${hasNumber(param, 's')}`,
});

/** Undefined when the session or the run is gone. */
export async function selectHeldSession(db: Queryable, run: RunOfSession): Promise<HeldSession | undefined> {
  const [row] = await findHeld(db, run);
  if (row === undefined) return undefined;
  const { version, view, initialState, initialArtifacts, turnAfter, isFirstTurn, ...key } = row;
  return { key, version, view, initialState, initialArtifacts, turnAfter, isFirstTurn };
}

const lockHistoryRow = createQuery<CheckedKey & Pick<SessionHistory, 'pk' | 'version'>, object>({
  name: 'lock-history',
  text: (param) =>
    `select from sessions where ${hasKey(param)} and pk = ${param.pk} and version = ${param.version} for update`,
});

/** Keeps others from changing a session until the transaction ends. False when it has changed since it was read. */
export async function lockHistory(
  tx: Transaction,
  key: CheckedKey,
  { pk, version }: Pick<SessionHistory, 'pk' | 'version'>,
): Promise<boolean> {
  return (await lockHistoryRow(tx, { ...key, pk, version })).length > 0;
}

const findWaiting = createQuery<NumberedSession & { from: number }, { invocation_id: string }>({
  name: 'find-waiting-runs',
  text: (param) => `select invocation_id from runs
    where ${isOfSession(param)} and ended_at is not null and (status = 'waiting') is true and coalesce(end_seq, first_seq) >= ${param.from}`,
});

/** Runs of a session that wait for an answer, and whose latest attempt ended at `from` or behind it: a run that went on after an answer may have begun before. */
export async function selectWaitingRuns(db: Queryable, session: NumberedSession, from: number): Promise<string[]> {
  return (await findWaiting(db, { ...session, from })).map((row) => row.invocation_id);
}

interface RewindValues extends CheckedKey {
  readonly pk: bigint;
  readonly version: bigint;
  readonly view: string | null;
  readonly eventTime: number;
  readonly addedBytes: number;
  readonly maxBytes: number;
}

const rewind = createWriteQuery<RewindValues, { pk: bigint }>({
  name: 'rewind-session',
  source: 'm',
  text: (param, writes) => `with m as (
      update sessions set version = version + 1, last_seq = last_seq + 1, view = ${param.view}::json,
        last_update_time = ${laterUpdate('last_update_time', param.eventTime)},
        bytes = ${withinSession(`bytes + ${param.addedBytes}::bigint`, param.maxBytes)}
      where ${hasKey(param)} and pk = ${param.pk} and version = ${param.version}
      returning account_id, app_name, user_id, pk, last_seq - 1 as base
    )${writes}
    select pk from m`,
});

/** Appends the event of a rewind to a session without a turn. Undefined when the session has changed since it was read: then nothing was written. */
export async function insertRewind(
  db: Queryable,
  key: CheckedKey,
  { history, view, ...write }: Write & { readonly history: SessionHistory; readonly view: string | null },
): Promise<true | undefined> {
  const eventTime = write.events.at(-1)?.timestamp ?? Date.now() / 1000;
  const { pk, version } = history;
  const sizes = { addedBytes: bytesOfEvents(write.events), maxBytes: write.limits.sessionBytes };
  const values = { ...key, pk, version, view, eventTime, ...sizes };
  return (await rewind(db, values, write)).length > 0 || undefined;
}
