import type { LoadJob, LoadResult } from '../load/load-job.ts';
import { align } from '../report.ts';
import type { Reading } from './meter.ts';

export type WorkKind = LoadJob['kind'];

/** One turn of one side at one kind of work. */
export interface Measured extends LoadResult {
  /** Use of the mesh and its database meanwhile, and until they were idle again. */
  readonly used: Reading;
}

/** One kind of work at both commits, right after each other. */
export interface Turn {
  readonly former: Measured;
  readonly today: Measured;
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

/** A table with the median of each figure in the former commit and today, and the median of the ratios of the turns. */
export function formatRatios(baseline: string, measured: ReadonlyMap<WorkKind, readonly Turn[]>): string {
  const body = rows.map(({ kind, label, digits, of }) => {
    const turns = measured.get(kind) ?? [];
    const [before, now] = [turns.map((turn) => of(turn.former)), turns.map((turn) => of(turn.today))];
    const ratio = median(turns.map((turn) => of(turn.today) / of(turn.former)));
    return [label, median(before).toFixed(digits), median(now).toFixed(digits), ratio.toFixed(2)];
  });
  return align([['', baseline, 'now', 'ratio'], ...body]);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
