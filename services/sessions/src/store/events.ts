import type { Queryable } from '@agentmesh/lib/pg';

/** An event as it is stored: its public JSON text and the columns beside it. */
export interface StoredEvent {
  id: string;
  invocationId: string;
  author: string;
  /** Unix time in seconds. */
  timestamp: number;
  /** A user message that answers no call. */
  turnStart: boolean;
  json: string;
}

/** How many parameters `insertEvents` takes. */
export const eventParameterCount = 6;

/**
 * SQL that appends the events of `eventParameters` from parameter `first` on. `source` is a relation of one row with
 * account_id, pk and base (the sequence before the first of them).
 */
export function insertEvents(source: string, first: number): string {
  const array = (offset: number, type: string): string => `$${first + offset}::${type}[]`;
  return `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
    select m.account_id, m.pk, m.base + e.n, e.id, e.invocation_id, e.author, e.ts, e.turn_start, e.body::json
    from ${source} m, unnest(${array(0, 'text')}, ${array(1, 'text')}, ${array(2, 'text')}, ${array(3, 'float8')},
      ${array(4, 'boolean')}, ${array(5, 'text')}) with ordinality as e(id, invocation_id, author, ts, turn_start, body, n)`;
}

/** Parameters for `insertEvents`. */
export function eventParameters(events: readonly StoredEvent[]): unknown[] {
  return [
    events.map((event) => event.id),
    events.map((event) => event.invocationId),
    events.map((event) => event.author),
    events.map((event) => event.timestamp),
    events.map((event) => event.turnStart),
    events.map((event) => event.json),
  ];
}

const listEvents = {
  name: 'list-events',
  text: `select seq, event_id, body::text as json from events where session_pk = $1 and seq > $2 and seq <= $3
    order by seq limit $4`,
};

export interface EventRow {
  seq: number;
  event_id: string;
  json: string;
}

/** Events with `after` < seq <= `upTo` in order, at most `limit`. */
export function readEvents(
  db: Queryable,
  range: { sessionPk: bigint; after: number; upTo: number; limit: number },
): Promise<EventRow[]> {
  return db.query<EventRow>(listEvents, [range.sessionPk, range.after, range.upTo, range.limit]);
}

const findTurnStart = {
  name: 'find-turn-start',
  text: `select seq from events where session_pk = $1 and seq <= $2 and turn_start order by seq desc limit 1`,
};

/** Sequence of the last user turn that begins at or before `seq`; 1 when there is none. */
export async function turnStartAtOrBefore(db: Queryable, sessionPk: bigint, seq: number): Promise<number> {
  const [row] = await db.query<{ seq: number }>(findTurnStart, [sessionPk, seq]);
  return row?.seq ?? 1;
}

const findCall = {
  name: 'find-call',
  text: `select e.invocation_id, e.seq, s.pk as session_pk
    from sessions s join events e on e.session_pk = s.pk
    where s.account_id = $1 and s.app_name = $2 and s.user_id = $3 and s.id = $4
      and e.author <> 'user' and strpos(e.body::text, to_json($5::text)::text) > 0
    order by e.seq desc limit 1`,
};

export interface CallSite {
  invocation_id: string;
  seq: number;
  session_pk: bigint;
}

/** The newest agent event of a session that names a function call id. */
export async function findFunctionCall(
  db: Queryable,
  session: readonly [accountId: string, appName: string, userId: string, sessionId: string],
  callId: string,
): Promise<CallSite | undefined> {
  const [row] = await db.query<CallSite>(findCall, [...session, callId]);
  return row;
}
