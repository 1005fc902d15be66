import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { isVisible, readView } from '../../view/view.ts';
import type { CheckedKey, NumberedSession } from '../../session-key.ts';
import { hasKey, isOfSession } from '../key-condition.ts';
import { pageOfEvents } from './page-of-events.ts';
import { newestWithin } from './window-bytes.ts';

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

/** SQL, and how many parameters it has. */
export interface Fragment {
  readonly text: string;
  readonly parameters: number;
}

const eventTypes = ['text', 'text', 'text', 'float8', 'boolean', 'text'];
const columns = 'account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body';

/**
 * SQL of the CTE `stored`, which appends one event. `pushEvents` gives the values of its parameters from `first` on. `source` is a relation of one row
 * with account_id, pk and base (the sequence before the event).
 */
export function insertEvent(source: string, first: number): Fragment {
  const [id, invocationId, author, timestamp, turnStart, json] = eventTypes.map((_, offset) => `$${first + offset}`);
  return {
    text: `stored as (
      insert into events (${columns})
      select m.account_id, m.pk, m.base + 1, ${id}, ${invocationId}, ${author}, ${timestamp}, ${turnStart}, ${json}
      from ${source} m
    )`,
    parameters: eventTypes.length,
  };
}

/** Like `insertEvent`, for several events in order. */
export function insertEvents(source: string, first: number): Fragment {
  const arrays = placeholders(
    first,
    eventTypes.map((type) => `${type}[]`),
  );
  return {
    text: `stored as (
      insert into events (${columns})
      select m.account_id, m.pk, m.base + e.n, e.id, e.invocation_id, e.author, e.ts, e.turn_start, e.body::json
      from ${source} m,
        unnest(${arrays.join(', ')}) with ordinality as e(id, invocation_id, author, ts, turn_start, body, n)
    )`,
    parameters: eventTypes.length,
  };
}

/** Appends the values for `insertEvent` of one event, or for `insertEvents` of several. */
export function pushEvents(to: unknown[], events: readonly StoredEvent[]): void {
  const [event] = events;
  if (event !== undefined && events.length === 1) {
    to.push(event.id, event.invocationId, event.author, event.timestamp, event.turnStart, event.json);
    return;
  }
  to.push(
    events.map(({ id }) => id),
    events.map(({ invocationId }) => invocationId),
    events.map(({ author }) => author),
    events.map(({ timestamp }) => timestamp),
    events.map(({ turnStart }) => turnStart),
    events.map(({ json }) => json),
  );
}

function placeholders(first: number, types: readonly string[]): string[] {
  return types.map((type, offset) => `$${first + offset}::${type}`);
}

interface EventRange extends NumberedSession {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

const listEvents = createQuery<EventRange, EventRow>({
  name: 'list-events',
  text: (param) => `select seq, event_id, turn_start, body::text as json from events
    where ${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo} order by seq limit ${param.limit}`,
});

export interface EventRow {
  readonly seq: number;
  readonly event_id: string;
  readonly turn_start: boolean;
  readonly json: string;
}

/** Events with `after` < seq <= `upTo`, in order of sequence, at most `limit`. */
export function selectEvents(db: Queryable, range: EventRange): Promise<EventRow[]> {
  return listEvents(db, range);
}

const listEventsAt = createQuery<NumberedSession & { seqs: readonly number[] }, EventRow>({
  name: 'list-events-at',
  text: (param) => `select e.seq, e.event_id, e.turn_start, e.json from unnest(${param.seqs}::integer[]) as at(seq)
    cross join lateral (
      select seq, event_id, turn_start, body::text as json from events where ${isOfSession(param)} and seq = at.seq offset 0
    ) e`,
});

/** The events at some sequences, in any order. Those that were deleted are left out. */
export function selectEventsAt(
  db: Queryable,
  at: NumberedSession & { readonly seqs: readonly number[] },
): Promise<EventRow[]> {
  return listEventsAt(db, at);
}

interface NewestRange extends EventRange {
  /** Most bytes of JSON. */
  readonly maxBytes: number;
}

const listNewestEvents = createQuery<NewestRange, EventRow>({
  name: 'list-newest-events',
  text: (param) => {
    const page = pageOfEvents({
      where: `${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo}`,
      order: 'desc',
      limit: param.limit,
      maxBytes: `${param.maxBytes}::bigint`,
    });
    return `select seq, event_id, turn_start, json from (${page}) e order by seq desc`;
  },
});

/** The newest events with `after` < seq <= `upTo` in order, as many as `limit` and `maxBytes` allow. */
export async function selectNewestEvents(db: Queryable, range: NewestRange): Promise<EventRow[]> {
  return newestWithin(await listNewestEvents(db, range), range.maxBytes).reverse();
}

const findTurnStart = createQuery<NumberedSession & { seq: number }, { seq: number }>({
  name: 'find-turn-start',
  text: (param) => `select seq from events
    where ${isOfSession(param)} and seq <= ${param.seq} and turn_start order by seq desc limit 1`,
});

/** Sequence of the last user turn that begins at or before `seq`; 1 when there is none. */
export async function selectTurnStart(db: Queryable, session: NumberedSession, seq: number): Promise<number> {
  const [row] = await findTurnStart(db, { ...session, seq });
  return row?.seq ?? 1;
}

type CallRow = Omit<CallSite, 'name'> & { readonly json: string; readonly view: string | null };

/** Finds events whose text has the quoted id; `nameOfCall` parses them. PostgreSQL does not, because it refuses JSON texts with NUL. */
const findCall = createQuery<CheckedKey & { quotedId: string; before: number }, CallRow>({
  name: 'find-call',
  text: (param) => `select e.invocation_id, e.seq, e.body::text as json, s.view::text as view
    from (select account_id, pk, view from sessions where ${hasKey(param)} offset 0) s
    join events e on e.account_id = s.account_id and e.session_pk = s.pk
    where e.seq < ${param.before}
      and e.author <> 'user' and strpos(e.body::text, '"functionCall"') > 0 and strpos(e.body::text, ${param.quotedId}) > 0
    order by e.seq desc limit 1`,
});

const behindAll = 2 ** 31 - 1;

export interface CallSite {
  readonly invocation_id: string;
  readonly seq: number;
  /** Name of the called function. */
  readonly name: string;
}

/** The newest agent event of a session, among those that agents see, that makes the function call with this id. */
export async function findFunctionCall(db: Queryable, key: CheckedKey, callId: string): Promise<CallSite | undefined> {
  const quotedId = JSON.stringify(callId);
  for (let before = behindAll; ; ) {
    const [row] = await findCall(db, { ...key, quotedId, before });
    if (row === undefined) return undefined;
    const name = isVisible(readView(row.view), row.seq) ? nameOfCall(row.json, callId) : undefined;
    if (name !== undefined) return { invocation_id: row.invocation_id, seq: row.seq, name };
    before = row.seq;
  }
}

interface CallParts {
  readonly content?: { readonly parts?: readonly { readonly functionCall?: { id?: string; name?: string } }[] };
}

/** Name of the function that an event calls with this id; undefined when it does not. */
function nameOfCall(json: string, callId: string): string | undefined {
  const { content } = JSON.parse(json) as CallParts;
  const part = content?.parts?.find(({ functionCall }) => functionCall?.id === callId);
  return part && (part.functionCall?.name ?? '');
}
