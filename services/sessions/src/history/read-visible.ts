import type { Queryable } from '@agentmesh/lib/pg';
import type { EventRow } from '../store/events/events.ts';
import { isCompaction } from '../view/compactions.ts';
import { type Read, readSpan, type VisibleRange } from './read-span.ts';
import { readSummarized } from './read-summarized.ts';
import { activeCompactions, type View, visibleSpans } from '../view/view.ts';

/**
 * Recent events of a session that its agents see, in order, from the start of a user's turn on. If not all fit, they begin at a later one. Where
 * there are summaries, agents see these and all events that they do not cover, as far as these fit.
 */
export async function readVisible(db: Queryable, view: View, range: VisibleRange): Promise<EventRow[]> {
  const active = activeCompactions(view, range.from);
  if (active.length > 0) return readSummarized(db, view, { range, active });
  const rows = await readRecent(db, view, range);
  // Summaries that are void are seen by nobody.
  return rows.filter(({ json }) => !isCompaction(json));
}

async function readRecent(db: Queryable, view: View, range: VisibleRange): Promise<EventRow[]> {
  const { upTo, from, window } = range;
  const read: Read = { rows: [], bytes: 0, isFull: false };
  const isEnough = (): boolean => read.rows.length >= window && startOf(read.rows.slice(window - 1), from) !== -1;
  for (const span of visibleSpans(view, upTo)) {
    await readSpan(db, { span, range, isEnough }, read);
    if (read.isFull || isEnough()) return cut(read, range);
  }
  return read.rows.reverse();
}

/** Index of the newest event that starts a user's turn at or before `from`. */
function startOf(rows: readonly EventRow[], from: number): number {
  return rows.findIndex((row) => row.turn_start && row.seq <= from);
}

function cut({ rows, isFull }: Read, { window, from, upTo }: VisibleRange): EventRow[] {
  const skipped = Math.max(0, window - 1);
  const start = startOf(rows.slice(skipped), from);
  if (start !== -1 && !isFull) return rows.slice(0, skipped + start + 1).reverse();
  const oldest = rows.findLastIndex((row) => row.turn_start && row.seq <= from);
  if (oldest === -1 && from > upTo) return [];
  return (oldest === -1 ? rows : rows.slice(0, oldest + 1)).reverse();
}
