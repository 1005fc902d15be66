import type { Queryable } from '@agentmesh/lib/pg';
import type { NumberedSession } from '../session-key.ts';
import { type EventRow, selectEventsAt } from '../store/events/events.ts';
import { newestWithin } from '../store/events/window-bytes.ts';
import { type Compaction, isCompaction } from '../view/compactions.ts';
import { type Read, readSpan, type VisibleRange } from './read-span.ts';
import { openSpans, type View } from '../view/view.ts';

export interface SummarizedRange {
  readonly range: VisibleRange;
  /** The summaries that agents see; at least one. */
  readonly active: readonly Compaction[];
}

/**
 * The summaries of a session, each where the last event stood that it covers, among the events that they do not cover. Events before the first summary
 * are read only as far as the window reaches. If not all events fit, those behind the summaries begin at a later turn of the user.
 */
export async function readSummarized(
  db: Queryable,
  view: View,
  { range, active }: SummarizedRange,
): Promise<EventRow[]> {
  const { accountId, sessionPk, upTo, window, maxEvents, maxBytes } = range;
  const summaries = await readSummaries(db, { accountId, sessionPk, active, maxBytes });
  const read: Read = { rows: [], bytes: bytesOf(summaries), isFull: false };
  const begin = Math.min(...active.map(({ first }) => first));
  let isShortened = false;
  for (const span of openSpans(view, { active, upTo })) {
    const isBefore = span.last < begin;
    const isEnough = (): boolean => isBefore && read.rows.length >= window;
    const limits = { accountId, sessionPk, maxEvents, maxBytes, window: isBefore ? window : maxEvents };
    await readSpan(db, { span, range: limits, isEnough }, read);
    isShortened = isEnough();
    if (read.isFull || isShortened) break;
  }
  const events = read.rows.filter(({ json }) => !isCompaction(json)).reverse();
  const seen = inOrder(summaries, read.isFull ? fromTurnStart(events, range) : events);
  return isShortened ? fromTurnStart(seen, range) : seen;
}

interface SummariesRange extends NumberedSession {
  readonly active: readonly Compaction[];
  readonly maxBytes: number;
}

/** The rows of the summaries, with the sequences at which agents see them. A window may begin with each. One that was deleted is not among them. */
async function readSummaries(
  db: Queryable,
  { accountId, sessionPk, active, maxBytes }: SummariesRange,
): Promise<EventRow[]> {
  const places = new Map(active.map(({ seq, last }) => [seq, last]));
  const rows = await selectEventsAt(db, { accountId, sessionPk, seqs: [...places.keys()] });
  const newest = newestWithin(
    rows.toSorted((a, b) => b.seq - a.seq),
    maxBytes,
  );
  return newest.map((row) => ({ ...row, seq: places.get(row.seq) ?? row.seq, turn_start: true }));
}

function bytesOf(rows: readonly EventRow[]): number {
  return rows.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}

function inOrder(summaries: readonly EventRow[], events: readonly EventRow[]): EventRow[] {
  return [...summaries, ...events].sort((a, b) => a.seq - b.seq);
}

function fromTurnStart(rows: readonly EventRow[], { from, upTo }: VisibleRange): EventRow[] {
  const start = rows.findIndex((row) => row.turn_start && row.seq <= from);
  if (start === -1) return from > upTo ? [] : [...rows];
  return rows.slice(start);
}
