import type { Queryable } from '@agentmesh/lib/pg';
import type { NumberedSession } from '../session-key.ts';
import { type EventRow, selectNewestEvents } from '../store/events/events.ts';
import type { Span } from '../view/span.ts';

/** Recent events of a session that its agents may see. */
export interface VisibleRange extends NumberedSession {
  /** Sequence of the newest event to read. */
  readonly upTo: number;
  /** A sequence that the events must reach back to. */
  readonly from: number;
  /** How many events to read at least, if there are as many. */
  readonly window: number;
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** The events that were read so far. */
export interface Read {
  /** Newest first. */
  readonly rows: EventRow[];
  bytes: number;
  /** No further event fits. */
  isFull: boolean;
}

export interface SpanRead {
  readonly span: Span;
  readonly range: Omit<VisibleRange, 'upTo' | 'from'>;
  readonly isEnough: () => boolean;
}

/** Reads the events of a span, newest first, until there are enough or none fits any more. */
export async function readSpan(db: Queryable, { span, range, isEnough }: SpanRead, read: Read): Promise<void> {
  const { accountId, sessionPk, maxEvents, maxBytes, window } = range;
  for (let upTo = span.last; upTo >= span.first && !isEnough(); ) {
    const limit = Math.min(window, maxEvents - read.rows.length);
    const room = maxBytes - read.bytes;
    if (limit === 0) read.isFull = true;
    if (read.isFull) return;
    const page = { after: span.first - 1, upTo, limit, maxBytes: room };
    const rows = await selectNewestEvents(db, { accountId, sessionPk, ...page });
    read.rows.push(...rows.toReversed());
    for (const { json } of rows) read.bytes += Buffer.byteLength(json);
    const oldest = rows[0]?.seq;
    read.isFull = rows.length < limit && (oldest ?? upTo + 1) > span.first;
    if (oldest === undefined || rows.length < limit) return;
    upTo = oldest - 1;
  }
}
