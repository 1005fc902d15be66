import type { Queryable } from '@agentmesh/lib/pg';
import { readEvents, turnStartAtOrBefore } from './store/events.ts';
import type { KnownEvents, StartedTurn } from './store/turns.ts';

/** No window holds more events than this, however long its turn is. */
const maxEvents = 2000;

interface WindowEvent {
  turnStart: boolean;
  json: string;
}

/** Recent events in order. */
export interface Window {
  /** The sequence before `events` when the known ones belong before them; 0 when `events` are all. */
  knownSeq: number;
  events: readonly WindowEvent[];
}

export interface WindowRequest {
  /** What the executor holds. */
  known: KnownEvents;
  /** Sequence of the newest event before the attempt's own. */
  base: number;
  /** A sequence that the window must reach back to. */
  from: number;
}

/**
 * The events that an executor needs to see the recent ones, beginning at a user turn: an answer without its question, or a
 * response without its call, would be refused by a model.
 */
export async function completeWindow(db: Queryable, turn: StartedTurn, request: WindowRequest): Promise<Window> {
  const { recent, sessionPk } = turn;
  const { known, base, from } = request;
  if (known.sessionPk === sessionPk && known.lastSeq === base - recent.length) {
    return { knownSeq: known.lastSeq, events: recent.toReversed() };
  }
  const oldest = recent.at(-1)?.seq ?? base;
  if (oldest <= 1) return { knownSeq: 0, events: recent.toReversed() };
  const start = recent.findLastIndex((event) => event.turnStart && event.seq <= from);
  if (start !== -1) return { knownSeq: 0, events: recent.slice(0, start + 1).toReversed() };
  return { knownSeq: 0, events: await readBack(db, { sessionPk, upTo: base, from: Math.min(from, oldest) }) };
}

async function readBack(
  db: Queryable,
  range: { sessionPk: bigint; upTo: number; from: number },
): Promise<WindowEvent[]> {
  const start = await turnStartAtOrBefore(db, range.sessionPk, range.from);
  const after = Math.max(start - 1, range.upTo - maxEvents);
  const rows = await readEvents(db, { sessionPk: range.sessionPk, after, upTo: range.upTo, limit: maxEvents });
  return rows.map((row) => ({ turnStart: row.turn_start, json: row.json }));
}
