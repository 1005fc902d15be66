import { createQuery, type Placeholders, type Query, type Queryable } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../../session-key.ts';
import { hasKey } from '../key-condition.ts';
import { pageOfEvents } from './page-of-events.ts';

/** A page of a session's events, in order of sequence. */
export interface EventPage {
  readonly events: readonly PagedEvent[];
  /** Whether other events follow the last one of the page. */
  readonly more: boolean;
  /** Sequence of the newest event of the session. */
  readonly lastSeq: number;
  /** Handle of the session. It is never used for another session. */
  readonly sessionPk: bigint;
}

export interface PagedEvent {
  readonly seq: number;
  readonly id: string;
  readonly author: string;
  readonly invocationId: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly json: string;
}

export interface EventRange {
  /** The page begins behind this sequence, in its direction. */
  readonly after: number;
  readonly limit: number;
  /** The event whose JSON reaches this number of bytes is the last of the page. */
  readonly maxBytes: number;
  readonly newestFirst: boolean;
}

interface SessionColumns {
  readonly pk: bigint;
  readonly last_seq: number;
}

/** A row of a page. */
export interface EventColumns {
  readonly seq: number;
  readonly event_id: string;
  readonly author: string;
  readonly invocation_id: string;
  readonly ts: number;
  readonly json: string;
}

/** A session without events in the range answers one row, whose `seq` is null. */
type PageRow = SessionColumns & (EventColumns | { readonly seq: null });

type RangeValues = CheckedKey & Omit<EventRange, 'newestFirst'>;

const forwards = createPageQuery('forwards', 'asc', (param) => `seq > ${param.after} and seq <= m.last_seq`);
const backwards = createPageQuery('backwards', 'desc', (param) => `seq < ${param.after}`);

function createPageQuery(
  name: string,
  order: 'asc' | 'desc',
  inRange: (param: Placeholders<RangeValues>) => string,
): Query<RangeValues, PageRow> {
  return createQuery({
    name: `list-events-${name}`,
    text: (param) => {
      const { limit, maxBytes } = param;
      const page = pageOfEvents({
        where: `account_id = m.account_id and session_pk = m.pk and ${inRange(param)}`,
        order,
        limit,
        maxBytes,
      });
      return `with m as (select account_id, pk, last_seq from sessions where ${hasKey(param)})
      select m.pk, m.last_seq, e.* from m left join lateral (${page}) e on true order by e.seq ${order}`;
    },
  });
}

/** Reads a page, or undefined when there is no such session. It is one statement, so the page is of one moment. */
export async function selectEventPage(
  db: Queryable,
  key: CheckedKey,
  range: EventRange,
): Promise<EventPage | undefined> {
  const { newestFirst } = range;
  const rows = await (newestFirst ? backwards : forwards)(db, { ...key, ...range });
  const [first] = rows;
  if (first === undefined) return undefined;
  const events = rows.filter((row) => row.seq !== null).map(toEvent);
  const lastSeq = first.last_seq;
  const last = events.at(-1)?.seq;
  return {
    events,
    lastSeq,
    sessionPk: first.pk,
    more: last !== undefined && (newestFirst ? last > 1 : last < lastSeq),
  };
}

/** The event of a row. */
export function toEvent(row: EventColumns): PagedEvent {
  const { seq, event_id: id, invocation_id: invocationId, author, ts: timestamp, json } = row;
  return { seq, id, invocationId, author, timestamp, json };
}
