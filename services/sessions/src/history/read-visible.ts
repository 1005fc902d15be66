import type { Queryable } from '@agentmesh/lib/pg';
import { type EventRow, selectNewestEvents } from '../store/events/events.ts';
import { type Span, type View, visibleSpans } from './view.ts';

export interface VisibleRange {
  readonly sessionPk: bigint;
  /** Sequence of the newest event to read. */
  readonly upTo: number;
  /** A sequence that the events must reach back to. */
  readonly from: number;
  /** How many events to read at least, if there are as many. */
  readonly window: number;
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** Recent events of a session that its agents see, in order, from the start of a user's turn on. If not all fit, they begin at a later one. */
export async function readVisible(db: Queryable, view: View, range: VisibleRange): Promise<EventRow[]> {
  const { upTo, from, window } = range;
  const read: Read = { rows: [], bytes: 0, isFull: false };
  const isEnough = (): boolean => read.rows.length >= window && startOf(read.rows.slice(window - 1), from) !== -1;
  for (const span of visibleSpans(view, upTo)) {
    await readSpan(db, { span, range, isEnough }, read);
    if (read.isFull || isEnough()) return cut(read, range);
  }
  return read.rows.reverse();
}

interface Read {
  /** Newest first. */
  readonly rows: EventRow[];
  bytes: number;
  /** No further event fits. */
  isFull: boolean;
}

interface SpanRead {
  readonly span: Span;
  readonly range: VisibleRange;
  readonly isEnough: () => boolean;
}

async function readSpan(db: Queryable, { span, range, isEnough }: SpanRead, read: Read): Promise<void> {
  const { sessionPk, maxEvents, maxBytes, window } = range;
  for (let upTo = span.last; upTo >= span.first && !isEnough(); ) {
    const limit = Math.min(window, maxEvents - read.rows.length);
    const room = maxBytes - read.bytes;
    if (limit === 0) read.isFull = true;
    if (read.isFull) return;
    const rows = await selectNewestEvents(db, { sessionPk, after: span.first - 1, upTo, limit, maxBytes: room });
    read.rows.push(...rows.toReversed());
    for (const { json } of rows) read.bytes += Buffer.byteLength(json);
    const oldest = rows[0]?.seq;
    read.isFull = rows.length < limit && (oldest ?? upTo + 1) > span.first;
    if (oldest === undefined || rows.length < limit) return;
    upTo = oldest - 1;
  }
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
