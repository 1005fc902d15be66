import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Revised } from '../revision.ts';
import type { CheckedKey, NumberedSession } from '../session-key.ts';
import type { StateMap } from '../state-delta.ts';
import { createdMicroseconds } from './created-at.ts';
import { hasKey, isOfSession } from './key-condition.ts';
import { pageOfEvents } from './events/page-of-events.ts';
import { joinVisibleState, publicKey, type StateRow, toState } from './state.ts';

/** A session's head and the first of its events. */
export interface SessionRead extends Revised {
  readonly pk: bigint;
  readonly lastUpdateTime: number;
  readonly state: StateMap;
  readonly events: readonly SequencedJson[];
}

/** An event's sequence and JSON text. */
export interface SequencedJson {
  readonly seq: number;
  readonly json: string;
}

/** Size of a page. */
export interface PageSize {
  /** Most events. */
  readonly limit: number;
  /** The event whose JSON reaches this number of bytes is the last of the page. */
  readonly maxBytes: number;
}

const getSessionQuery = createQuery<CheckedKey & PageSize, SessionRow>({
  name: 'get-session',
  text: (param) => {
    const { limit, maxBytes } = param;
    const firstEvents = pageOfEvents({
      where: 'account_id = m.account_id and session_pk = m.pk',
      order: 'asc',
      limit,
      maxBytes,
    });
    return `with m as (
      select account_id, app_name, user_id, pk, last_seq, last_update_time, ${createdMicroseconds} as created from sessions
      where ${hasKey(param)}
    )
    select 'head' as kind, pk, created, last_seq as seq, last_update_time as ts, null::text as key, null::text as json
      from m
    union all
    select 'state', null, null, null, null, ${publicKey}, t.value::text from m ${joinVisibleState}
    union all
    select 'event', null, null, e.seq, null, null, e.json from m cross join lateral (${firstEvents}) e`;
  },
});

interface HeadRow {
  readonly kind: 'head';
  readonly pk: bigint;
  readonly created: bigint;
  readonly seq: number;
  readonly ts: number;
}

type SessionRow = HeadRow | ({ readonly kind: 'state' } & StateRow) | ({ readonly kind: 'event' } & SequencedJson);

/** Reads a session with its first events, as of one moment. */
export async function selectSession(db: Queryable, key: CheckedKey, page: PageSize): Promise<SessionRead | undefined> {
  const rows = await getSessionQuery(db, { ...key, ...page });
  const head = rows.find((row) => row.kind === 'head');
  if (head === undefined) return undefined;
  return {
    pk: head.pk,
    createdAt: head.created,
    lastSeq: head.seq,
    lastUpdateTime: head.ts,
    state: toState(rows.filter((row) => row.kind === 'state')),
    events: rows.filter((row) => row.kind === 'event').toSorted((a, b) => a.seq - b.seq),
  };
}

/** Events of a session up to its newest one at some moment. */
export interface EventSpan extends NumberedSession {
  readonly upTo: number;
  /** Unix time in seconds of the oldest event; -Infinity for all. */
  readonly since: number;
}

const listSpan = createQuery<EventSpan & PageSize & { after: number }, SequencedJson>({
  name: 'list-session-events',
  text: (param) => {
    const page = pageOfEvents({
      where: `${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo} and ts >= ${param.since}`,
      order: 'asc',
      limit: param.limit,
      maxBytes: param.maxBytes,
    });
    return `select seq, json from (${page}) e order by seq`;
  },
});

/** The next events of a span behind sequence `after`. */
export function selectEventSpan(
  db: Queryable,
  span: EventSpan,
  page: PageSize & { readonly after: number },
): Promise<SequencedJson[]> {
  return listSpan(db, { ...span, ...page });
}

const findNewest = createQuery<EventSpan & { count: number }, { first: number | null }>({
  name: 'find-newest-session-events',
  text: (param) => `select min(seq) as first from (
      select seq from events where ${isOfSession(param)} and seq <= ${param.upTo} and ts >= ${param.since}
      order by seq desc limit ${param.count}
    ) newest`,
});

/** Sequence before the newest `count` events of a span; the span's end when it has none. */
export async function findSeqBeforeNewest(db: Queryable, span: EventSpan, count: number): Promise<number> {
  const [row] = await findNewest(db, { ...span, count });
  return typeof row?.first === 'number' ? row.first - 1 : span.upTo;
}
