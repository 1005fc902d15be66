import type { Span } from './span.ts';

/** A summary that agents see instead of the events that it covers. */
export interface Compaction extends Span {
  /** Sequence of the event with the summary. It stands behind the events that it covers, and others may stand between them. */
  readonly seq: number;
}

/** An event as far as it is compared with the times of a summary. */
export interface TimedEvent {
  readonly json: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

/** Most summaries of a session that count. Older ones matter only when newer ones were rewound. */
const mostCompactions = 100;

/** The newest of the summaries: as many as a session keeps. */
export function newestCompactions<T>(compactions: readonly T[]): T[] {
  return compactions.slice(-mostCompactions);
}

/**
 * Those of `compactions` that count: a later rewind to their own event, to one that they cover, or to one before makes them void, and one that covers more replaces
 * those that it contains. In the order of the last events that they cover. `hidden` are the spans that rewinds leave out.
 */
export function activeOf(compactions: readonly Compaction[], hidden: readonly Span[]): Compaction[] {
  const valid = compactions.filter(
    ({ seq, last }) => !hidden.some((span) => span.last > seq && (span.first <= last || span.first === seq)),
  );
  return valid
    .filter((compaction) => !valid.some((other) => replaces(other, compaction)))
    .toSorted((a, b) => a.last - b.last || a.seq - b.seq);
}

/** The newer one of two summaries of the same events counts. */
function replaces(outer: Compaction, inner: Compaction): boolean {
  if (outer.first > inner.first || outer.last < inner.last) return false;
  return outer.first < inner.first || outer.last > inner.last || outer.seq > inner.seq;
}

/** ADK's record of a summary: the times of the first and the last event that it covers, in Unix seconds, and its text. */
interface CompactionJson {
  readonly startTimestamp: number;
  readonly endTimestamp: number;
  readonly compactedContent: object;
}

/** The record of a summary in an event; undefined when it has none. */
function compactionIn(json: string): CompactionJson | undefined {
  // False for most events, which are then not parsed.
  if (!json.includes('"compaction"')) return undefined;
  const { actions } = JSON.parse(json) as {
    readonly actions?: { readonly compaction?: Partial<CompactionJson> | null };
  };
  const { startTimestamp, endTimestamp, compactedContent } = actions?.compaction ?? {};
  if (typeof startTimestamp !== 'number' || typeof endTimestamp !== 'number') return undefined;
  if (typeof compactedContent !== 'object' || compactedContent === null) return undefined;
  return { startTimestamp, endTimestamp, compactedContent };
}

/** Whether an event holds a summary. */
export function isCompaction(json: string): boolean {
  return compactionIn(json) !== undefined;
}

/** The summaries among the events that a session is created with: each covers the events before it whose times lie within its own. */
export function importedCompactions(events: readonly TimedEvent[]): Compaction[] {
  const records = events.flatMap(({ json }, index) => {
    const record = compactionIn(json);
    return record === undefined ? [] : [{ ...record, index }];
  });
  return newestCompactions(records).flatMap(({ startTimestamp, endTimestamp, index }) => {
    const isCovered = ({ timestamp }: TimedEvent): boolean => startTimestamp <= timestamp && timestamp <= endTimestamp;
    const before = events.slice(0, index);
    const [first, last] = [before.findIndex(isCovered), before.findLastIndex(isCovered)];
    return first === -1 ? [] : [{ seq: index + 1, first: first + 1, last: last + 1 }];
  });
}
