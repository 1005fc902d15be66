import type { Queryable } from '@agentmesh/lib/pg';
import { pageOfEvents } from './page-of-events.ts';
import { maxWindowBytes, newestWithin } from './window-bytes.ts';

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
  /** Hashes of the nonces with which it asks for credentials; undefined when it asks for none. */
  nonces?: readonly string[] | undefined;
}

/** SQL, and how many parameters it takes. */
export interface Fragment {
  readonly text: string;
  readonly parameters: number;
}

const eventTypes = ['text', 'text', 'text', 'float8', 'boolean', 'text'];
const columns = 'account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body';

/**
 * SQL that appends the one event of `eventParameters` from parameter `first` on. `source` is a relation of one row with
 * account_id, pk and base (the sequence before the event).
 */
export function insertEvent(source: string, first: number): Fragment {
  const [id, invocationId, author, timestamp, turnStart, json] = numbered(first, eventTypes);
  return {
    text: `insert into events (${columns})
      select m.account_id, m.pk, m.base + 1, ${id}, ${invocationId}, ${author}, ${timestamp}, ${turnStart}, ${json}::json
      from ${source} m`,
    parameters: eventTypes.length,
  };
}

/** As `insertEvent`, for several events in order. */
export function insertEvents(source: string, first: number): Fragment {
  const arrays = numbered(
    first,
    eventTypes.map((type) => `${type}[]`),
  );
  return {
    text: `insert into events (${columns})
      select m.account_id, m.pk, m.base + e.n, e.id, e.invocation_id, e.author, e.ts, e.turn_start, e.body::json
      from ${source} m,
        unnest(${arrays.join(', ')}) with ordinality as e(id, invocation_id, author, ts, turn_start, body, n)`,
    parameters: eventTypes.length,
  };
}

/** Parameters for `insertEvent` of one event, or for `insertEvents` of several. */
export function eventParameters(events: readonly StoredEvent[]): unknown[] {
  const rows = events.map(({ id, invocationId, author, timestamp, turnStart, json }) => [
    id,
    invocationId,
    author,
    timestamp,
    turnStart,
    json,
  ]);
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return only;
  return eventTypes.map((_, column) => rows.map((row) => row[column]));
}

function numbered(first: number, types: readonly string[]): string[] {
  return types.map((type, offset) => `$${first + offset}::${type}`);
}

const listEvents = {
  name: 'list-events',
  text: `select seq, event_id, turn_start, body::text as json from events
    where session_pk = $1 and seq > $2 and seq <= $3 order by seq limit $4`,
};

export interface EventRow {
  seq: number;
  event_id: string;
  turn_start: boolean;
  json: string;
}

/** Events with `after` < seq <= `upTo` in order, at most `limit`. */
export function readEvents(
  db: Queryable,
  range: { sessionPk: bigint; after: number; upTo: number; limit: number },
): Promise<EventRow[]> {
  return db.query<EventRow>(listEvents, [range.sessionPk, range.after, range.upTo, range.limit]);
}

const newestOf = pageOfEvents({
  where: 'session_pk = $1 and seq > $2 and seq <= $3',
  order: 'desc',
  limit: '$4',
  maxBytes: String(maxWindowBytes),
});
const listNewest = {
  name: 'list-newest-events',
  text: `select seq, event_id, turn_start, json from (${newestOf}) e order by seq desc`,
};

/** The newest events with `after` < seq <= `upTo` in order, as many as `limit` and a window allow. */
export async function readNewestEvents(
  db: Queryable,
  range: { sessionPk: bigint; after: number; upTo: number; limit: number },
): Promise<EventRow[]> {
  const { sessionPk, after, upTo, limit } = range;
  return newestWithin(await db.query<EventRow>(listNewest, [sessionPk, after, upTo, limit])).reverse();
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

/** Events that a call may be in; only their JSON tells. PostgreSQL does not look into it: it refuses texts with NUL. */
const findCall = {
  name: 'find-call',
  text: `select e.invocation_id, e.seq, e.body::text as json
    from sessions s join events e on e.session_pk = s.pk
    where s.account_id = $1 and s.app_name = $2 and s.user_id = $3 and s.id = $4 and e.seq < $6
      and e.author <> 'user' and strpos(e.body::text, '"functionCall"') > 0 and strpos(e.body::text, $5) > 0
    order by e.seq desc limit 1`,
};

const behindAll = 2 ** 31 - 1;

export interface CallSite {
  invocation_id: string;
  seq: number;
}

/** The newest agent event of a session that makes the function call of an id. */
export async function findFunctionCall(
  db: Queryable,
  session: readonly [accountId: string, appName: string, userId: string, sessionId: string],
  callId: string,
): Promise<CallSite | undefined> {
  for (let before = behindAll; ; ) {
    const [row] = await db.query<CallSite & { json: string }>(findCall, [...session, JSON.stringify(callId), before]);
    if (row === undefined || makesCall(row.json, callId)) return row;
    before = row.seq;
  }
}

function makesCall(json: string, callId: string): boolean {
  const { content } = JSON.parse(json) as { content?: { parts?: { functionCall?: { id?: string } }[] } };
  return content?.parts?.some(({ functionCall }) => functionCall?.id === callId) ?? false;
}
