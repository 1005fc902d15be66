import type { Database, Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import type { KeyParameters } from '../session-key.ts';
import type { StateChange, StateMap } from '../state-delta.ts';
import type { StoredEvent } from './events.ts';
import { publicKey, visibleState } from './state.ts';
import { shapedStatement, type Write, writeParameters } from './write.ts';

/** A session's head and the first of its events. */
export interface SessionRead {
  pk: bigint;
  lastSeq: number;
  lastUpdateTime: number;
  state: StateMap;
  events: string[];
}

/** A session in a list. */
export interface ListedSession {
  id: string;
  lastUpdateTime: number;
  /** JSON text of the session's own state; app and user state are the same for all of a list. */
  ownState: StateMap;
}

const create = shapedStatement(
  { name: 'create-session', source: 'm', first: 7 },
  ({ ctes }) => `with m as (
      insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
      values ($1, $2, $3, $4, $5, $6)
      on conflict do nothing
      returning account_id, app_name, user_id, pk, 0 as base
    )${ctes}
    select null::text as key, null::text as json from m
    union all
    select ${publicKey}, t.value::text from m join state t on ${visibleState}`,
);

/** Creates a session; the app and user state that was there before, or undefined when the id is taken. */
export async function createSession(
  db: Queryable,
  key: KeyParameters,
  content: Write & { lastUpdateTime: number },
): Promise<StateMap | undefined> {
  const values = [...key, content.events.length, content.lastUpdateTime, ...writeParameters(content)];
  const rows = await db.query<{ key: string | null; json: string }>(create(content), values);
  if (rows.length === 0) return undefined;
  return toState(rows);
}

const get: Statement = {
  name: 'get-session',
  text: `with m as (
      select account_id, app_name, user_id, pk, last_seq, last_update_time from sessions
      where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
    )
    select 'head' as kind, pk, last_seq as seq, last_update_time as ts, null::text as key, null::text as json from m
    union all
    select 'state', null, null, null, ${publicKey}, t.value::text from m join state t on ${visibleState}
    union all
    select 'event', null, e.seq, null, null, e.body::text from m cross join lateral
      (select seq, body from events where session_pk = m.pk order by seq limit $5) e`,
};

interface GetRow {
  kind: 'head' | 'state' | 'event';
  pk: bigint;
  seq: number;
  ts: number;
  key: string;
  json: string;
}

/** Reads a session with its first `limit` events, as of one moment. */
export async function getSession(db: Queryable, key: KeyParameters, limit: number): Promise<SessionRead | undefined> {
  const rows = await db.query<GetRow>(get, [...key, limit]);
  const head = rows.find((row) => row.kind === 'head');
  if (head === undefined) return undefined;
  return {
    pk: head.pk,
    lastSeq: head.seq,
    lastUpdateTime: head.ts,
    state: toState(rows.filter((row) => row.kind === 'state')),
    events: rows
      .filter((row) => row.kind === 'event')
      .toSorted((a, b) => a.seq - b.seq)
      .map((row) => row.json),
  };
}

const evalPrefix = '___eval___session___';

const list: Statement = {
  name: 'list-sessions',
  text: `select s.pk, s.id, s.last_update_time, t.key, t.value::text as json from (
      select account_id, app_name, pk, id, last_update_time from sessions
      where account_id = $1 and app_name = $2 and user_id = $3 and pk > $4 and not starts_with(id, '${evalPrefix}')
      order by pk limit $5
    ) s left join state t
      on t.account_id = s.account_id and t.app_name = s.app_name and t.scope = 'session:' || s.pk
    order by s.pk`,
};

interface ListRow {
  pk: bigint;
  id: string;
  last_update_time: number;
  key: string | null;
  json: string;
}

export type ListScope = readonly [accountId: string, appName: string, userId: string];

/** The next page of a user's sessions after handle `after`, in the order of creation. */
export async function listSessions(
  db: Queryable,
  scope: ListScope,
  page: { after: bigint; limit: number },
): Promise<{ sessions: ListedSession[]; last: bigint | undefined }> {
  const sessions = new Map<bigint, ListedSession>();
  for (const row of await db.query<ListRow>(list, [...scope, page.after, page.limit])) {
    const entry = sessions.get(row.pk) ?? { id: row.id, lastUpdateTime: row.last_update_time, ownState: new Map() };
    if (row.key !== null) entry.ownState.set(row.key, row.json);
    sessions.set(row.pk, entry);
  }
  const last = sessions.size < page.limit ? undefined : [...sessions.keys()].at(-1);
  return { sessions: [...sessions.values()], last };
}

const shared: Statement = {
  name: 'shared-state',
  text: `select ${publicKey} as key, t.value::text as json from state t
    where t.account_id = $1 and t.app_name = $2 and t.scope = any(array['app', 'user:' || $3::text])`,
};

/** App and user state of one user in one application. */
export async function readSharedState(db: Queryable, scope: ListScope): Promise<StateMap> {
  return toState(await db.query<{ key: string; json: string }>(shared, scope));
}

const patch = shapedStatement(
  { name: 'patch-session', source: 'm', first: 6 },
  ({ ctes }) => `with m as (
      update sessions set version = version + 1, last_seq = last_seq + 1, last_update_time = $5
      where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
      returning account_id, app_name, user_id, pk, last_seq - 1 as base
    )${ctes}
    select pk from m`,
);

/** Appends one event with its changes beside whatever turn is running; false when there is no such session. */
export async function patchSession(
  db: Queryable,
  key: KeyParameters,
  what: { event: StoredEvent; changes: readonly StateChange[] },
): Promise<boolean> {
  const write = { events: [what.event], changes: what.changes };
  const rows = await db.query(patch(write), [...key, what.event.timestamp, ...writeParameters(write)]);
  return rows.length === 1;
}

const lock: Statement = {
  text: `select pk from sessions where account_id = $1 and app_name = $2 and user_id = $3 and id = $4 for update`,
};

const erase: Statement[] = [
  { text: 'delete from events where session_pk = $1' },
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

function toState(rows: readonly { key: string | null; json: string }[]): StateMap {
  const state: StateMap = new Map();
  for (const row of rows) if (row.key !== null) state.set(row.key, row.json);
  return state;
}
