import type { Queryable, Statement } from '@agentmesh/lib/pg';
import type { Revised } from '../revision.ts';
import type { KeyParameters } from '../session-key.ts';
import type { StateMap } from '../state-delta.ts';
import { createdMicroseconds } from './created-at.ts';
import { pageOfEvents } from './page-of-events.ts';
import { publicKey, toState, visibleState } from './state.ts';

/** A session's head and the first of its events. */
export interface SessionRead extends Revised {
  readonly pk: bigint;
  readonly lastUpdateTime: number;
  readonly state: StateMap;
  readonly events: readonly SequencedJson[];
}

/** An event's JSON text in its place. */
export interface SequencedJson {
  readonly seq: number;
  readonly json: string;
}

/** How much is read at once: so many events, the last of them being the one that fills so many bytes. */
export interface PageSize {
  readonly limit: number;
  readonly maxBytes: number;
}

const firstEvents = pageOfEvents({ where: 'session_pk = m.pk', order: 'asc', limit: '$5', maxBytes: '$6' });

const get: Statement = {
  name: 'get-session',
  text: `with m as (
      select account_id, app_name, user_id, pk, last_seq, last_update_time, ${createdMicroseconds} as created from sessions
      where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
    )
    select 'head' as kind, pk, created, last_seq as seq, last_update_time as ts, null::text as key, null::text as json
      from m
    union all
    select 'state', null, null, null, null, ${publicKey}, t.value::text from m join state t on ${visibleState}
    union all
    select 'event', null, null, e.seq, null, null, e.json from m cross join lateral (${firstEvents}) e`,
};

interface GetRow {
  readonly kind: 'head' | 'state' | 'event';
  readonly pk: bigint;
  readonly created: bigint;
  readonly seq: number;
  readonly ts: number;
  readonly key: string;
  readonly json: string;
}

/** Reads a session with its first events, as of one moment. */
export async function getSession(
  db: Queryable,
  key: KeyParameters,
  { limit, maxBytes }: PageSize,
): Promise<SessionRead | undefined> {
  const rows = await db.query<GetRow>(get, [...key, limit, maxBytes]);
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

const inRange = pageOfEvents({
  where: 'session_pk = $1 and seq > $2 and seq <= $3 and ts >= $4',
  order: 'asc',
  limit: '$5',
  maxBytes: '$6',
});
const getEvents: Statement = { name: 'get-session-events', text: `select seq, json from (${inRange}) e order by seq` };

/** Events of a session up to the one that was its newest. */
export interface EventSpan {
  readonly sessionPk: bigint;
  readonly upTo: number;
  /** Unix time in seconds of the oldest event; -Infinity for all. */
  readonly since: number;
}

/** The next events of a span behind sequence `after`. */
export function readSpan(
  db: Queryable,
  { sessionPk, upTo, since }: EventSpan,
  { after, limit, maxBytes }: PageSize & { readonly after: number },
): Promise<SequencedJson[]> {
  return db.query<{ seq: number; json: string }>(getEvents, [sessionPk, after, upTo, since, limit, maxBytes]);
}

const newest: Statement = {
  name: 'newest-session-events',
  text: `select min(seq) as first from (
      select seq from events where session_pk = $1 and seq <= $2 and ts >= $3 order by seq desc limit $4
    ) newest`,
};

/** Sequence before the newest `count` events of a span; its end when there are none. */
export async function beforeNewest(
  db: Queryable,
  { sessionPk, upTo, since }: EventSpan,
  count: number,
): Promise<number> {
  const [row] = await db.query<{ first: number | null }>(newest, [sessionPk, upTo, since, count]);
  return typeof row?.first === 'number' ? row.first - 1 : upTo;
}
