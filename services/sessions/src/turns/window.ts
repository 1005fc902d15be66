import type { Queryable } from '@agentmesh/lib/pg';
import { selectNewestEvents, selectTurnStart } from '../store/events.ts';
import type { StartedTurn } from '../store/turn-outcome.ts';
import type { KnownEvents } from '../store/turns.ts';

/** No window holds more events than this, however long its turn is; its bytes are bounded, too. */
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
  return { knownSeq: 0, events: await readBack(db, { sessionPk, upTo: base, from, oldest: Math.min(from, oldest) }) };
}

interface Range {
  sessionPk: bigint;
  upTo: number;
  /** A sequence that the events must reach back to. */
  from: number;
  /** One that they are to reach back to as far as there is room. */
  oldest: number;
}

/** What does not fit begins later, at a user turn still; where none does, only the answer to a call gets what there is. */
async function readBack(db: Queryable, { sessionPk, upTo, from, oldest }: Range): Promise<WindowEvent[]> {
  const start = await selectTurnStart(db, sessionPk, oldest);
  const after = Math.max(start - 1, upTo - maxEvents);
  const rows = await selectNewestEvents(db, { sessionPk, after, upTo, limit: maxEvents });
  const isWhole = rows[0]?.seq === after + 1;
  const first = isWhole ? 0 : rows.findIndex((row) => row.turn_start && row.seq <= from);
  if (first === -1 && from > upTo) return [];
  return rows.slice(Math.max(first, 0)).map((row) => ({ turnStart: row.turn_start, json: row.json }));
}
