import type { Database, Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import type { KeyParameters } from '../session-key.ts';
import type { StateChange, StateMap } from '../state-delta.ts';
import { createdMicroseconds, revisionSql } from './created-at.ts';
import type { StoredEvent } from './events.ts';
import { publicKey, type StateRow, toState, visibleState } from './state.ts';
import { shapedStatement, type Write, writeParameters } from './write.ts';

/** A session that was created, and the app and user state that was there before. */
export interface CreatedSession {
  createdAt: bigint;
  state: StateMap;
}

const create = shapedStatement(
  { name: 'create-session', source: 'm', first: 7 },
  ({ ctes }) => `with m as (
      insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
      values ($1, $2, $3, $4, $5, $6)
      on conflict do nothing
      returning account_id, app_name, user_id, pk, 0 as base, ${createdMicroseconds} as created
    )${ctes}
    select created, null::text as key, null::text as json from m
    union all
    select null, ${publicKey}, t.value::text from m join state t on ${visibleState}`,
);

/** Creates a session, or answers undefined when the id is taken. */
export async function createSession(
  db: Queryable,
  key: KeyParameters,
  content: Write & { lastUpdateTime: number },
): Promise<CreatedSession | undefined> {
  const values = [...key, content.events.length, content.lastUpdateTime, ...writeParameters(content)];
  const rows = await db.query<StateRow & { created: bigint | null }>(create(content), values);
  const createdAt = rows.find((row) => row.created !== null)?.created;
  return typeof createdAt === 'bigint' ? { createdAt, state: toState(rows) } : undefined;
}

const patch = shapedStatement(
  { name: 'patch-session', source: 'm', first: 7 },
  ({ ctes }) => `with m as (
      update sessions set version = version + 1, last_seq = last_seq + 1, last_update_time = $5
      where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
        and ($6::text[] is null or ${revisionSql} = any($6))
      returning account_id, app_name, user_id, pk, last_seq - 1 as base
    )${ctes}
    select exists (select from m) as changed`,
);

const exists: Statement = {
  name: 'session-exists',
  text: 'select pk from sessions where account_id = $1 and app_name = $2 and user_id = $3 and id = $4',
};

interface Patch {
  readonly event: StoredEvent;
  readonly changes: readonly StateChange[];
  /** Revisions that the session may be at; none: any. */
  readonly ifMatch: readonly string[];
}

/** Appends one event with its changes beside whatever turn is running; or says why not. */
export async function patchSession(
  db: Queryable,
  key: KeyParameters,
  { event, changes, ifMatch }: Patch,
): Promise<'changed' | 'missing' | 'other revision'> {
  const write = { events: [event], changes };
  const values = [...key, event.timestamp, ifMatch.length === 0 ? null : ifMatch, ...writeParameters(write)];
  const [row] = await db.query<{ changed: boolean }>(patch(write), values);
  if (row?.changed === true) return 'changed';
  if (ifMatch.length === 0) return 'missing';
  const found = await db.query(exists, key);
  return found.length === 0 ? 'missing' : 'other revision';
}

const lock: Statement = {
  text: `select pk from sessions where account_id = $1 and app_name = $2 and user_id = $3 and id = $4 for update`,
};

const erase: Statement[] = [
  { text: 'delete from events where session_pk = $1' },
  { text: 'delete from credential_requests where session_pk = $1' },
  { text: `delete from state where scope = 'session:' || $1::bigint` },
  { text: 'delete from sessions where pk = $1' },
];

const cancel: Statement = {
  text: `update runs set status = 'cancelled', ended_at = now(), lease_until = null, message = null, state_delta = null
    where session_pk = $1 and status in ('queued', 'granted', 'running', 'waiting') returning invocation_id`,
};

/**
 * Deletes a session with its events and state; the invocations that it cancelled. The row is locked first: a statement that
 * began before the last append would not see that append's events.
 */
export function deleteSession(
  db: Database,
  key: KeyParameters,
  onCancelled: (tx: Transaction, invocationIds: string[]) => Promise<void>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const [session] = await tx.query<{ pk: bigint }>(lock, key);
    if (session === undefined) return;
    const cancelled = await tx.query<{ invocation_id: string }>(cancel, [session.pk]);
    for (const statement of erase) await tx.query(statement, [session.pk]);
    await onCancelled(
      tx,
      cancelled.map((run) => run.invocation_id),
    );
  });
}
