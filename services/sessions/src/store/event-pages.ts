import type { Queryable, Statement } from '@agentmesh/lib/pg';
import type { KeyParameters } from '../session-key.ts';
import { pageOfEvents } from './page-of-events.ts';

/** Events of a session in order of sequence, and what is known of the rest. */
export interface EventPage {
  readonly events: readonly PagedEvent[];
  /** Whether other events follow behind the last of these. */
  readonly more: boolean;
  /** Sequence of the newest event of the session. */
  readonly lastSeq: number;
  /** Handle of the session, never used again. */
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
  /** Sequence behind which the page begins, in its direction. */
  readonly after: number;
  readonly limit: number;
  /** The page ends with the event that fills so many bytes of JSON. */
  readonly maxBytes: number;
  readonly newestFirst: boolean;
}

interface PageRow {
  readonly pk: bigint;
  readonly last_seq: number;
  /** Null in the one row of a session that has no events in the range. */
  readonly seq: number | null;
  readonly event_id: string;
  readonly author: string;
  readonly invocation_id: string;
  readonly ts: number;
  readonly json: string;
}

const forwards = statement('forwards', 'seq > $5 and seq <= m.last_seq', 'asc');
const backwards = statement('backwards', 'seq < $5', 'desc');

/** Reads a page, or undefined when there is no such session. One statement: the page is of one moment. */
export async function readEventPage(
  db: Queryable,
  key: KeyParameters,
  range: EventRange,
): Promise<EventPage | undefined> {
  const { after, limit, maxBytes, newestFirst } = range;
  const rows = await db.query<PageRow>(newestFirst ? backwards : forwards, [...key, after, limit, maxBytes]);
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

function statement(name: string, inRange: string, order: 'asc' | 'desc'): Statement {
  const page = pageOfEvents({ where: `session_pk = m.pk and ${inRange}`, order, limit: '$6', maxBytes: '$7' });
  return {
    name: `event-page-${name}`,
    text: `with m as (
        select pk, last_seq from sessions where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
      )
      select m.pk, m.last_seq, e.* from m left join lateral (${page}) e on true order by e.seq ${order}`,
  };
}

function toEvent(row: PageRow): PagedEvent {
  const { event_id: id, invocation_id: invocationId, author, ts: timestamp, json } = row;
  return { seq: row.seq ?? 0, id, invocationId, author, timestamp, json };
}
