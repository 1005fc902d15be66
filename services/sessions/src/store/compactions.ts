import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { CheckedKey, NumberedSession } from '../session-key.ts';
import { laterUpdate } from './created-at.ts';
import { pageOfEvents } from './events/page-of-events.ts';
import { hasKey, hasNumber, isOfSession } from './key-condition.ts';
import { bytesOfEvents, withinSession } from './sizes.ts';
import { createWriteQuery, type Write } from './write.ts';

/** A session as far as it is summarized. */
export interface CompactableSession {
  readonly pk: bigint;
  readonly lastSeq: number;
  /** JSON; null when agents see all events. */
  readonly view: string | null;
  /** Sequence of the first event of a run that is not over; null when there is none. */
  readonly openSeq: number | null;
}

const findSession = createQuery<CheckedKey, CompactableSession>({
  name: 'find-compactable-session',
  text: (param) => `select s.pk, s.last_seq as "lastSeq", s.view::text as view, (
      select min(open.first_seq) from (
        select r.first_seq from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.ended_at is null order by r.position limit 1000
      ) open
    ) as "openSeq"
    from sessions s where ${hasKey(param, 's')}`,
});

/** Undefined when there is no such session. */
export async function selectCompactable(db: Queryable, key: CheckedKey): Promise<CompactableSession | undefined> {
  const [row] = await findSession(db, key);
  return row;
}

interface TurnsRange extends NumberedSession {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

const listTurnStarts = createQuery<TurnsRange, { seq: number }>({
  name: 'list-turn-starts',
  text: (param) => `select seq from events
    where ${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo} and turn_start order by seq desc limit ${param.limit}`,
});

/** Sequences of the events with which turns of the user begin, the newest first. */
export async function selectTurnStarts(db: Queryable, range: TurnsRange): Promise<number[]> {
  return (await listTurnStarts(db, range)).map(({ seq }) => seq);
}

const claim = createQuery<NumberedSession & { seconds: number }, { pk: bigint }>({
  name: 'claim-compaction',
  text: (param) => `update sessions set compacting_until = now() + make_interval(secs => ${param.seconds})
    where ${hasNumber(param)} and (compacting_until is null or compacting_until < now()) returning pk`,
});

/** Keeps others from summarizing a session for some seconds. False: another one does. */
export async function claimSession(db: Queryable, session: NumberedSession, seconds: number): Promise<boolean> {
  return (await claim(db, { ...session, seconds })).length > 0;
}

interface OldestRange extends TurnsRange {
  readonly maxBytes: number;
}

/** An event to summarize. */
export interface CompactableRow {
  readonly seq: number;
  readonly turn_start: boolean;
  readonly json: string;
}

const listOldest = createQuery<OldestRange, CompactableRow>({
  name: 'list-oldest-events',
  text: (param) => {
    const page = pageOfEvents({
      where: `${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo}`,
      order: 'asc',
      limit: param.limit,
      maxBytes: `${param.maxBytes}::bigint`,
    });
    return `select seq, turn_start, json from (${page}) e order by seq`;
  },
});

/** Events with `after` < seq <= `upTo` in order. The one that reaches `maxBytes` is the last. */
export function selectOldestEvents(db: Queryable, range: OldestRange): Promise<CompactableRow[]> {
  return listOldest(db, range);
}

interface StoreValues extends CheckedKey {
  readonly pk: bigint;
  readonly lastSeq: number;
  readonly view: string | null;
  readonly eventTime: number;
  readonly addedBytes: number;
  readonly maxBytes: number;
}

const store = createWriteQuery<StoreValues, { pk: bigint }>({
  name: 'store-compaction',
  source: 'm',
  text: (param, writes) => `with m as (
      update sessions set version = version + 1, last_seq = last_seq + 1, view = ${param.view}::json, compacting_until = null,
        last_update_time = ${laterUpdate('last_update_time', param.eventTime)},
        bytes = ${withinSession(`bytes + ${param.addedBytes}::bigint`, param.maxBytes)}
      where ${hasKey(param)} and pk = ${param.pk} and last_seq = ${param.lastSeq}
      returning account_id, app_name, user_id, pk, last_seq - 1 as base
    )${writes}
    select pk from m`,
});

/** Appends the event of a summary. False when the session has changed since it was read: then nothing was written. */
export async function insertCompaction(
  db: Queryable,
  key: CheckedKey,
  { session, view, ...write }: Write & { readonly session: CompactableSession; readonly view: string | null },
): Promise<boolean> {
  const eventTime = write.events.at(-1)?.timestamp ?? Date.now() / 1000;
  const { pk, lastSeq } = session;
  const sizes = { addedBytes: bytesOfEvents(write.events), maxBytes: write.limits.sessionBytes };
  return (await store(db, { ...key, pk, lastSeq, view, eventTime, ...sizes }, write)).length > 0;
}
