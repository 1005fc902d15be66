import type { Queryable } from '@agentmesh/lib/pg';
import { readEvents, turnStartAtOrBefore } from './store/events.ts';
import type { StartedTurn } from './store/turns.ts';

/** No window holds more events than this, however long its turn is. */
const maxEvents = 2000;

/**
 * Recent events in order, beginning at a user turn: an answer without its question, or a response without its call, would
 * be refused by a model. `from` is a sequence the window must reach back to.
 */
export async function completeWindow(db: Queryable, turn: StartedTurn, from = turn.lastSeq): Promise<string[]> {
  const { recent, sessionPk } = turn;
  const oldest = recent.at(-1)?.seq ?? 1;
  if (oldest <= 1) return recent.toReversed().map((event) => event.json);
  const start = recent.findLast((event) => event.turnStart && event.seq <= from);
  if (start !== undefined) {
    return recent
      .slice(0, recent.indexOf(start) + 1)
      .toReversed()
      .map((event) => event.json);
  }
  return readBack(db, { sessionPk, upTo: recent[0]?.seq ?? 0, from: Math.min(from, oldest) });
}

async function readBack(db: Queryable, range: { sessionPk: bigint; upTo: number; from: number }): Promise<string[]> {
  const start = await turnStartAtOrBefore(db, range.sessionPk, range.from);
  const after = Math.max(start - 1, range.upTo - maxEvents);
  const rows = await readEvents(db, { sessionPk: range.sessionPk, after, upTo: range.upTo, limit: maxEvents });
  return rows.map((row) => row.json);
}
