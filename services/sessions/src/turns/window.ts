import type { Database } from '@agentmesh/lib/pg';
import { readVisible } from '../history/read-visible.ts';
import { readView } from '../view/view.ts';
import type { NumberedSession } from '../session-key.ts';
import { type EventRow, selectNewestEvents, selectTurnStart } from '../store/events/events.ts';
import type { StartedTurn } from '../store/turns/turn-outcome.ts';
import type { KnownEvents } from '../store/turns/turn-values.ts';

/** Most events of a window, also if its turn is longer. Its bytes are limited, too. */
const maxEvents = 2000;

interface WindowEvent {
  turnStart: boolean;
  json: string;
}

/** Recent events in order. */
export interface Window {
  /** If not 0, the known events up to this sequence belong before `events`. */
  knownSeq: number;
  events: readonly WindowEvent[];
}

export interface WindowRequest {
  /** Events that the executor holds. */
  known: KnownEvents;
  /** Sequence of the newest event before the attempt's own. */
  base: number;
  /** A sequence that the window must reach back to. */
  from: number;
  /** Most bytes of its events. */
  maxBytes: number;
  /** How many events it has at least, if there are as many. */
  window: number;
}

/**
 * The recent events for an executor, beginning at a user turn: a model refuses an answer without its question, and a function response
 * without its call.
 */
export function completeWindow(
  db: Pick<Database, 'query' | 'timeline'>,
  turn: StartedTurn & NumberedSession,
  request: WindowRequest,
): Window | Promise<Window> {
  const { recent, sessionPk } = turn;
  const { known, base, from } = request;
  const isLost = known.sessionPk === sessionPk && (known.timeline !== db.timeline || !turn.holdsKnown);
  if (turn.view !== null || isLost) return readWindow(db, turn, request);
  if (known.sessionPk === sessionPk && known.lastSeq === base - recent.length) {
    return { knownSeq: known.lastSeq, events: recent.toReversed() };
  }
  const oldest = recent.at(-1)?.seq ?? base;
  // An executor that claims sequences which do not exist gets no recent events, although there are some.
  if (oldest <= 1 && (recent.length > 0 || base === 0)) return { knownSeq: 0, events: recent.toReversed() };
  const start = recent.findLastIndex((event) => event.turnStart && event.seq <= from);
  if (start !== -1) return { knownSeq: 0, events: recent.slice(0, start + 1).toReversed() };
  return readWindow(db, turn, request);
}

async function readWindow(
  db: Pick<Database, 'query' | 'timeline'>,
  turn: StartedTurn & NumberedSession,
  { known, base, from, maxBytes, window }: WindowRequest,
): Promise<Window> {
  const { accountId, sessionPk } = turn;
  if (turn.view !== null) {
    const range = { accountId, sessionPk, upTo: base, from, window, maxEvents, maxBytes };
    return { knownSeq: 0, events: (await readVisible(db, readView(turn.view), range)).map(toWindowEvent) };
  }
  // The executor may hold events that a failover or the restore of a backup has lost, and others may have their sequences now.
  const isLost = known.sessionPk === sessionPk && (known.timeline !== db.timeline || !turn.holdsKnown);
  const oldest = isLost ? Math.max(1, base - window + 1) : (turn.recent.at(-1)?.seq ?? base);
  const range = { accountId, sessionPk, upTo: base, from, oldest: Math.min(from, oldest), maxBytes };
  return { knownSeq: 0, events: isLost && base === 0 ? [] : await readBack(db, range) };
}

interface Range extends NumberedSession {
  upTo: number;
  /** A sequence that the events must reach back to. */
  from: number;
  /** A sequence that the events should reach back to, if there is room. */
  oldest: number;
  maxBytes: number;
}

/** If not all events fit, they begin at a later user turn. Without such a turn there are none, unless the message answers a call. */
async function readBack(
  db: Pick<Database, 'query'>,
  { upTo, from, oldest, maxBytes, ...session }: Range,
): Promise<WindowEvent[]> {
  const start = await selectTurnStart(db, session, oldest);
  const after = Math.max(start - 1, upTo - maxEvents);
  const rows = await selectNewestEvents(db, { ...session, after, upTo, limit: maxEvents, maxBytes });
  const isWhole = rows[0]?.seq === after + 1;
  const first = isWhole ? 0 : rows.findIndex((row) => row.turn_start && row.seq <= from);
  if (first === -1 && from > upTo) return [];
  return rows.slice(Math.max(first, 0)).map(toWindowEvent);
}

function toWindowEvent(row: EventRow): WindowEvent {
  return { turnStart: row.turn_start, json: row.json };
}
