/** One call at a register, with its times as `performance.now()`. */
export interface Operation {
  readonly kind: 'write' | 'read';
  /** The value that was written or read; undefined: the register had no value yet. No two writes have the same value. */
  readonly value: string | undefined;
  readonly startedAt: number;
  /** Infinity for a write without a certain answer: it takes effect at any later time, or never. */
  readonly endedAt: number;
}

/** A write with the reads of its value. All of them can be put at one time only if `firstEnd` is not before `lastStart`. */
interface Cluster {
  readonly value: string | undefined;
  firstEnd: number;
  lastStart: number;
}

/**
 * Says why a history is not linearizable: why there is no order of its calls that fits their times and in which each read gets the latest write.
 * Undefined for one that is. As each value is written once, the test of Gibbons and Korach ("Testing Shared Memories", SIAM J. Comput. 26, 1997,
 * section 4.2) decides it in n log n steps: a cluster that spans a time (from its first end to its last start) needs this time for itself.
 */
export function faultOf(history: readonly Operation[]): string | undefined {
  const read = new Set(history.filter(({ kind }) => kind === 'read').map(({ value }) => value));
  const initial: Operation = { kind: 'write', value: undefined, startedAt: -Infinity, endedAt: -Infinity };
  const writes = new Map([initial, ...history.filter(({ kind }) => kind === 'write')].map((one) => [one.value, one]));
  const clusters = new Map<string | undefined, Cluster>();
  for (const { value, startedAt, endedAt } of writes.values()) {
    const mayBeMissing = endedAt === Infinity && !read.has(value);
    if (!mayBeMissing) clusters.set(value, { value, firstEnd: endedAt, lastStart: startedAt });
  }
  for (const { kind, value, startedAt, endedAt } of history) {
    if (kind === 'write') continue;
    const [write, cluster] = [writes.get(value), clusters.get(value)];
    if (write === undefined || cluster === undefined) return `${value} was read and never written`;
    if (endedAt < write.startedAt) return `${value} was read before it was written`;
    cluster.firstEnd = Math.min(cluster.firstEnd, endedAt);
    cluster.lastStart = Math.max(cluster.lastStart, startedAt);
  }
  return conflictOf([...clusters.values()]);
}

function conflictOf(clusters: readonly Cluster[]): string | undefined {
  const spans = clusters.filter(({ firstEnd, lastStart }) => firstEnd < lastStart);
  spans.sort((a, b) => a.firstEnd - b.firstEnd);
  for (const [index, span] of spans.entries()) {
    const before = spans[index - 1];
    if (before !== undefined && span.firstEnd < before.lastStart)
      return `${before.value} was read after ${span.value}, and before it`;
  }
  for (const { value, firstEnd, lastStart } of clusters) {
    if (firstEnd < lastStart) continue;
    const around = spans.find((span) => span.firstEnd < lastStart && firstEnd < span.lastStart);
    if (around !== undefined) return `${around.value} was read after ${value} had replaced it`;
  }
  return undefined;
}
