import { createQuery, type Database, type Queryable, type Statement, type Transaction } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../session-key.ts';
import type { StateMap } from '../state-delta.ts';
import { createdMicroseconds, laterUpdate, revisionSql } from './created-at.ts';
import type { StoredEvent } from './events/events.ts';
import { hasKey } from './key-condition.ts';
import { type StoredStateRow, toPublicState, visibleState } from './state.ts';
import { bytesOfEvents, withinSession } from './sizes.ts';
import { createWriteQuery, type Write } from './write.ts';

/** A session that was created, and the app and user state that was there before. */
export interface CreatedSession {
  readonly createdAt: bigint;
  readonly state: StateMap;
}

interface CreateValues extends CheckedKey {
  readonly lastUpdateTime: number;
  readonly addedBytes: number;
  readonly maxBytes: number;
  /** JSON of the state that it is created with; null for none. */
  readonly initialState: string | null;
  /** Time of the first event, or of the creation; Unix time in seconds. */
  readonly agingFrom: number;
  /** JSON of what agents do not see of the events; null when they see all. */
  readonly view: string | null;
}

/** One for each key of the state, and one of nulls when there is none. */
type CreateRow = { readonly created: bigint } & StoredStateRow;

const createSessionQuery = createWriteQuery<CreateValues, CreateRow>({
  name: 'create-session',
  source: 'm',
  rare: [['initialState', 'view']],
  text: (param, writes, added) => `with m as (
      insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time, initial_state, view, aging_from, bytes)
      values (${param.accountId}, ${param.appName}, ${param.userId}, ${param.sessionId}, ${added.count}, ${param.lastUpdateTime}, ${param.initialState}::json, ${param.view}::json,
        ${param.agingFrom},
        ${withinSession(`${param.addedBytes}::bigint`, param.maxBytes)})
      on conflict do nothing
      returning account_id, app_name, user_id, pk, 0 as base, ${createdMicroseconds} as created
    )${writes}
    select created, t.scope, t.key, t.value::text as json from m left join lateral (${visibleState}) t on true`,
});

/** Creates a session, or answers undefined when the id is taken. */
export async function insertSession(
  db: Queryable,
  key: CheckedKey,
  content: Write & Pick<CreateValues, 'lastUpdateTime' | 'initialState' | 'view'>,
): Promise<CreatedSession | undefined> {
  const { events, lastUpdateTime, initialState, view, limits } = content;
  const sizes = { addedBytes: bytesOfEvents(events), maxBytes: limits.sessionBytes };
  const agingFrom = Math.max(0, events[0]?.timestamp ?? lastUpdateTime);
  const values = { ...key, lastUpdateTime, initialState, view, agingFrom, ...sizes };
  const rows = await createSessionQuery(db, values, { ...content, isNew: true });
  const [row] = rows;
  return row && { createdAt: row.created, state: toPublicState(rows) };
}

interface PatchValues extends CheckedKey {
  readonly eventTime: number;
  readonly addedBytes: number;
  readonly maxBytes: number;
  /** Null: any revision. */
  readonly revisions: readonly string[] | null;
}

const patchQuery = createWriteQuery<PatchValues, { changed: boolean }>({
  name: 'patch-session',
  source: 'm',
  text: (param, writes) => `with m as (
      update sessions set version = version + 1, last_seq = last_seq + 1, last_update_time = ${laterUpdate('last_update_time', param.eventTime)},
        bytes = ${withinSession(`bytes + ${param.addedBytes}::bigint`, param.maxBytes)}
      where ${hasKey(param)} and (${param.revisions}::text[] is null or ${revisionSql} = any(${param.revisions}))
      returning account_id, app_name, user_id, pk, last_seq - 1 as base
    )${writes}
    select exists (select from m) as changed`,
});

const findSession = createQuery<CheckedKey, { pk: bigint }>({
  name: 'find-session',
  text: (param) => `select pk from sessions where ${hasKey(param)}`,
});

interface Patch extends Pick<Write, 'changes' | 'limits'> {
  readonly event: StoredEvent;
  /** Revisions that the session may be at; none: any. */
  readonly ifMatch: readonly string[];
}

/** Appends one event with its state changes, also while a turn is running. */
export async function insertPatch(
  db: Queryable,
  key: CheckedKey,
  { event, changes, limits, ifMatch }: Patch,
): Promise<'changed' | 'missing' | 'other revision'> {
  const sizes = { addedBytes: bytesOfEvents([event]), maxBytes: limits.sessionBytes };
  const values = { ...key, ...sizes, eventTime: event.timestamp, revisions: ifMatch.length === 0 ? null : ifMatch };
  const [row] = await patchQuery(db, values, { events: [event], changes, limits });
  if (row?.changed === true) return 'changed';
  if (ifMatch.length === 0) return 'missing';
  const found = await findSession(db, key);
  return found.length === 0 ? 'missing' : 'other revision';
}

const lockSession = createQuery<CheckedKey, { pk: bigint; bytes: bigint; last_seq: number }>({
  text: (param) => `select pk, bytes, last_seq from sessions where ${hasKey(param)} for update`,
});

const erase: Statement[] = [
  { text: 'delete from credential_requests where account_id = $1 and session_pk = $2' },
  { text: 'delete from sessions where account_id = $1 and pk = $2 and pk > 0' },
];

/** Most events that one statement deletes, so that none takes long. */
const mostErased = 10_000;

const eraseSpan: Statement = {
  text: 'delete from events where account_id = $1 and session_pk = $2 and seq > $3 and seq <= $4',
};

async function eraseEvents(tx: Transaction, number: readonly [string, bigint], lastSeq: number): Promise<void> {
  for (let after = 0; after < lastSeq; after += mostErased)
    await tx.query(eraseSpan, [...number, after, after + mostErased]);
}

const eraseState = createQuery<CheckedKey & { readonly pk: bigint }, object>({
  text: (param) => `delete from state
    where account_id = ${param.accountId} and app_name = ${param.appName} and scope = 'session:' || ${param.pk}::bigint`,
});

const cancel = (which: string): Statement => ({
  text: `update runs set status = 'cancelled', ended_at = now(), due_at = null, message = null, state_delta = null,
      added_messages = null, answer_by = null
    where account_id = $1 and session_pk = $2 and ${which} returning invocation_id, awaited`,
});
const cancelWaiting = cancel(`ended_at is not null and (status = 'waiting') is true`);
const cancelActive = cancel('ended_at is null');

/** A run that ended with its session. */
interface CancelledRun {
  readonly invocationId: string;
  readonly sessionPk: bigint;
  readonly awaited: boolean;
}

async function cancelRuns(tx: Transaction, number: readonly [string, bigint]) {
  const waiting = await tx.query<{ invocation_id: string; awaited: boolean }>(cancelWaiting, number);
  return [...waiting, ...(await tx.query<{ invocation_id: string; awaited: boolean }>(cancelActive, number))];
}

/**
 * Deletes a session with its events and state, and cancels its runs: `onCancelled` gets them, in the same transaction. Returns the bytes of its
 * events; undefined when there is no such session.
 * The row is locked first, because a statement that began before the last append would not see that append's events.
 */
export function deleteSessionRows(
  db: Database,
  key: CheckedKey,
  onCancelled: (tx: Transaction, runs: CancelledRun[]) => Promise<void>,
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const [session] = await lockSession(tx, key);
    if (session === undefined) return undefined;
    const number = [key.accountId, session.pk] as const;
    const cancelled = await cancelRuns(tx, number);
    await eraseState(tx, { ...key, pk: session.pk });
    await eraseEvents(tx, number, session.last_seq);
    for (const statement of erase) await tx.query(statement, number);
    await onCancelled(
      tx,
      cancelled.map((run) => ({ invocationId: run.invocation_id, sessionPk: session.pk, awaited: run.awaited })),
    );
    return Number(session.bytes);
  });
}
