import type { LoadJob, LoadResult } from '../load/load-job.ts';
import { align } from '../report.ts';
import type { Reading } from './meter.ts';

export type WorkKind = LoadJob['kind'];

/** One turn of one side at one kind of work. */
export interface Measured extends LoadResult {
  /** Use of the mesh and its database meanwhile, and until they were idle again. */
  readonly used: Reading;
}

interface Comparison {
  readonly baseline: string;
  readonly former: ReadonlyMap<WorkKind, readonly Measured[]>;
  readonly today: ReadonlyMap<WorkKind, readonly Measured[]>;
}

interface Row {
  readonly kind: WorkKind;
  readonly label: string;
  readonly digits: number;
  readonly of: (measured: Measured) => number;
}

const each = (name: keyof Reading) => (measured: Measured) => measured.used[name] / measured.count;

function costs(kind: WorkKind, name: string): Row[] {
  return [
    { kind, label: `${name}: CPU of Node, ms`, digits: 3, of: each('nodeMs') },
    { kind, label: `${name}: CPU of PostgreSQL, ms`, digits: 3, of: each('postgresMs') },
    { kind, label: `${name}: WAL, bytes`, digits: 0, of: each('walBytes') },
    { kind, label: `${name}: transactions`, digits: 2, of: each('transactions') },
    { kind, label: `${name}s/s`, digits: 0, of: ({ perSecond }) => perSecond },
  ];
}

const rows: readonly Row[] = [
  ...costs('run', 'run'),
  ...costs('create', 'create'),
  { kind: 'firstEvent', label: 'SSE first event, p50 ms', digits: 1, of: ({ p50Ms }) => p50Ms },
  { kind: 'firstEvent', label: 'SSE first event, p99 ms', digits: 1, of: ({ p99Ms }) => p99Ms },
  { kind: 'page', label: 'page of 100 sessions: CPU of Node, ms', digits: 3, of: each('nodeMs') },
  { kind: 'page', label: 'page of 100 sessions: CPU of PostgreSQL, ms', digits: 3, of: each('postgresMs') },
  { kind: 'artifact', label: 'artifact of 10 kB: CPU of Node, ms', digits: 3, of: each('nodeMs') },
  { kind: 'artifact', label: 'artifact of 10 kB: CPU of PostgreSQL, ms', digits: 3, of: each('postgresMs') },
];

/** A table with the median of each figure in the former commit and today, and the ratio of both. */
export function formatRatios({ baseline, former, today }: Comparison): string {
  const body = rows.map(({ kind, label, digits, of }) => {
    const [before, now] = [median(former.get(kind), of), median(today.get(kind), of)];
    return [label, before.toFixed(digits), now.toFixed(digits), (now / before).toFixed(2)];
  });
  return align([['', baseline, 'now', 'ratio'], ...body]);
}

function median(turns: readonly Measured[] = [], of: Row['of']): number {
  const values = turns.map(of).toSorted((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}
