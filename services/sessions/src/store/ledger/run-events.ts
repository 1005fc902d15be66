import { createQuery, type Placeholders, type Queryable } from '@agentmesh/lib/pg';
import type { RunOfSession } from '../../session-key.ts';
import { type EventColumns, type PagedEvent, toEvent } from '../events/event-pages.ts';
import { pageOfEvents } from '../events/page-of-events.ts';
import { isOfSession, isSessionOfRun } from '../key-condition.ts';
import { ledgerColumns, type LedgerRow } from './ledger-run.ts';
import { newestPlacedRun, type PlacedRunName } from './run-reads.ts';

/** A run, and where its events are in its session. */
export type PlacedRun = LedgerRow & {
  readonly session_pk: bigint;
  /** Sequence of its first event; null before its first attempt, and where it is not known. */
  readonly first_seq: number | null;
  /** Sequence of its last event; null while it is not over, and where it is not known. */
  readonly end_seq: number | null;
  /** Sequence of the session's newest event; null when the session is deleted. */
  readonly session_seq: number | null;
};

const findPlaced = createQuery<Required<PlacedRunName>, PlacedRun>({
  name: 'find-run-with-place',
  text: (
    param,
  ) => `select ${ledgerColumns}, r.session_pk, r.first_seq, case when r.ended_at is not null then r.end_seq end as end_seq,
      (select last_seq from sessions s where ${isSessionOfRun}) as session_seq
    ${newestPlacedRun(param)}`,
});

/** The newest run of the account with this id; undefined when there is none. */
export async function selectPlacedRun(db: Queryable, name: PlacedRunName): Promise<PlacedRun | undefined> {
  const [row] = await findPlaced(db, { appName: '', sessionId: '', ...name });
  return row;
}

export interface RunEventRange extends RunOfSession {
  /** Events behind this sequence. */
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  /** The event whose JSON reaches this number of bytes is the last. */
  readonly maxBytes: number;
}

const rangeOfRun = (param: Placeholders<RunEventRange>): string =>
  `${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo} and invocation_id = ${param.invocationId}`;

const listLastEventsOfRun = createQuery<RunEventRange, EventColumns>({
  name: 'list-last-events-of-run',
  text: (param) => {
    const { limit, maxBytes } = param;
    return `select * from (${pageOfEvents({ where: rangeOfRun(param), order: 'desc', limit, maxBytes })}) e order by seq desc`;
  },
});

/** The newest events of one run, the last one first. */
export async function selectLastEventsOfRun(db: Queryable, range: RunEventRange): Promise<PagedEvent[]> {
  return (await listLastEventsOfRun(db, range)).map(toEvent);
}

const listEventsOfRun = createQuery<RunEventRange, EventColumns>({
  name: 'list-events-of-run',
  text: (param) => {
    const page = pageOfEvents({
      where: rangeOfRun(param),
      order: 'asc',
      limit: param.limit,
      maxBytes: param.maxBytes,
    });
    return `select * from (${page}) e order by seq`;
  },
});

/** Events of one run in order. It reads over the events of others in the range. */
export async function selectRunEvents(db: Queryable, range: RunEventRange): Promise<PagedEvent[]> {
  return (await listEventsOfRun(db, range)).map(toEvent);
}
