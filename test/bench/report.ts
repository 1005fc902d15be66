import type { Ceilings } from './ceilings.ts';
import type { Figures } from './measure.ts';
import type { Figure } from './parts/part.ts';

export type Results = ReadonlyMap<string, Figures>;

interface Row {
  readonly label: string;
  readonly figure: keyof Figures;
  readonly digits: number;
}

const rows: readonly Row[] = [
  { label: 'create session/s', figure: 'createPerSecond', digits: 0 },
  { label: 'run/s', figure: 'runPerSecond', digits: 0 },
  { label: 'run p99 ms', figure: 'runP99Ms', digits: 1 },
  { label: 'one client, run p50 ms', figure: 'singleRunP50Ms', digits: 1 },
  { label: 'first SSE event p50 ms', figure: 'firstEventP50Ms', digits: 1 },
  { label: 'first SSE event p99 ms', figure: 'firstEventP99Ms', digits: 1 },
  { label: 'run after 10 events p50 ms', figure: 'shortHistoryP50Ms', digits: 1 },
  { label: 'run after 10,000 events p50 ms', figure: 'longHistoryP50Ms', digits: 1 },
  { label: 'idle RSS MB', figure: 'idleMb', digits: 0 },
];

/** The median of each figure over the rounds. */
export function medianOf(rounds: readonly Figures[]): Figures {
  const figures = rows.flatMap(({ figure }) => {
    const values = rounds.map((round) => round[figure]).filter((value) => value !== undefined);
    values.sort((a, b) => a - b);
    const middle = values[Math.floor(values.length / 2)];
    return middle === undefined ? [] : [[figure, middle] as const];
  });
  return Object.fromEntries(figures) as unknown as Figures;
}

/** A table with one line per figure and one column per target. */
export function formatTable(results: Results): string {
  const names = [...results.keys()];
  const body = rows.map(({ label, figure, digits }) => [
    label,
    ...names.map((name) => results.get(name)?.[figure]?.toFixed(digits) ?? '-'),
  ]);
  return align([['', ...names], ...body]);
}

interface Goal {
  readonly label: string;
  readonly value: number | undefined;
  readonly limit: number;
  readonly atLeast: boolean;
  /** Upper limits of this machine, measured without our code. */
  readonly ceiling?: number | undefined;
}

/** The goals of docs/performance.md with the measured values. Goals whose targets were not measured are left out. */
export function goalsOf(results: Results, ceilings?: Ceilings): Goal[] {
  const mesh = results.get('mesh, one process');
  const memory = results.get('adk-js memory');
  const postgres = results.get('adk-js postgres');
  const goals: Goal[] = [
    {
      ...atLeast('create session: times adk-js postgres', ratio(mesh?.createPerSecond, postgres?.createPerSecond), 15),
      ceiling: ratio(ceilings?.httpCommitPerSecond, postgres?.createPerSecond),
    },
    {
      ...atLeast('run: times adk-js postgres', ratio(mesh?.runPerSecond, postgres?.runPerSecond), 15),
      ceiling: ratio(ceilings?.httpTwoCommitsPerSecond, postgres?.runPerSecond),
    },
    atLeast('run: times adk-js memory', ratio(mesh?.runPerSecond, memory?.runPerSecond), 1),
    atMost('one client, run p50 ms', mesh?.singleRunP50Ms, 6),
    atMost('first SSE event p99 ms', mesh?.firstEventP99Ms, 20),
    atMost('run at 10,000 events: times one at 10', ratio(mesh?.longHistoryP50Ms, mesh?.shortHistoryP50Ms), 1.5),
    atMost('idle memory of all, MB', mesh?.idleMb, 450),
  ];
  return goals.filter((goal) => goal.value !== undefined);
}

/** The measured values of parts that have a limit. */
export function goalsOfParts(figures: readonly Figure[]): Goal[] {
  return figures.flatMap(({ label, value, atMost: most, atLeast: least }) => [
    ...(most === undefined ? [] : [atMost(label, value, most)]),
    ...(least === undefined ? [] : [atLeast(label, value, least)]),
  ]);
}

export function formatFigures(figures: readonly Figure[]): string {
  return align(figures.map(({ label, value }) => [label, value.toFixed(value < 10 ? 2 : 1)]));
}

export function formatGoals(goals: readonly Goal[]): string {
  return align(
    goals.map((goal) => [met(goal) ? 'met   ' : 'MISSED', goal.label, goal.value?.toFixed(2) ?? '-', aim(goal)]),
  );
}

export function formatCeilings(ceilings: Ceilings): string {
  return align([
    ['durable commits/s, 1 connection', ceilings.commitsPerSecond.toFixed(0)],
    ['durable commits/s, 16 connections', ceilings.commitsPerSecond16.toFixed(0)],
    ['durable rows/s committed together, 16 callers', ceilings.rowsTogetherPerSecond.toFixed(0)],
    ['bare HTTP JSON echoes/s, 16 connections', ceilings.httpPerSecond.toFixed(0)],
    ['the same with a durable row each', ceilings.httpCommitPerSecond.toFixed(0)],
    ['the same with two', ceilings.httpTwoCommitsPerSecond.toFixed(0)],
  ]);
}

function met({ value = 0, limit, atLeast: up }: Goal): boolean {
  return up ? value >= limit : value <= limit;
}

function aim({ atLeast: up, limit, ceiling }: Goal): string {
  const reachable = ceiling === undefined ? '' : `; this machine's ceiling: ${ceiling.toFixed(2)}`;
  return `${up ? 'at least' : 'at most'} ${limit}${reachable}`;
}

function atLeast(label: string, value: number | undefined, limit: number): Goal {
  return { label, value, limit, atLeast: true };
}

function atMost(label: string, value: number | undefined, limit: number): Goal {
  return { label, value, limit, atLeast: false };
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

/** Pads the columns to equal width and aligns numbers to the right. */
export function align(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    /^[\d.-]+$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}
