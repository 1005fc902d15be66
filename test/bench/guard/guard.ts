import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadJob, type LoadResult, runLoad } from '../load/load-job.ts';
import { startDurablePostgres } from '../targets/durable-postgres.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Target } from '../targets/target.ts';
import { checkOut, commitOf } from './baseline.ts';
import { type Meter, openMeter, type Reading, settleMs } from './meter.ts';
import { formatRatios, type Measured, type WorkKind } from './ratios.ts';

const connections = 16;
const turns = 4;
const warmUpSeconds = 8;
/** Requests of streams and of slow kinds are few, so that both sides wait for nothing. */
const works = [
  { kind: 'run', seconds: 4 },
  { kind: 'create', seconds: 2 },
  { kind: 'firstEvent', seconds: 3, perSecond: 200 },
  { kind: 'page', seconds: 2 },
  { kind: 'artifact', seconds: 2 },
] as const satisfies readonly Work[];

type Work = Pick<LoadJob, 'kind' | 'seconds' | 'perSecond'>;

interface Side extends AsyncDisposable {
  readonly target: Target;
  readonly meter: Meter;
}

interface GuardOptions {
  /** Commit to compare with. Absent: see `commitOf`. */
  readonly baseline?: string | undefined;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Compares what calls cost in this tree and in an earlier commit: both meshes stand side by side, each on a durable PostgreSQL of its own, and take
 * turns, so that what else happens on the machine reaches both. Answers the table.
 */
export async function guard({ baseline, say, signal }: GuardOptions): Promise<string> {
  const commit = commitOf(baseline);
  const tree = checkOut(commit, say);
  await using before = await openSide(tree);
  await using now = await openSide();
  const sides = [before, now];
  say(`warming up, then ${turns} turns`);
  for (const side of sides) await load(side, { kind: 'run', seconds: warmUpSeconds }, signal);
  const measured = sides.map(() => new Map<WorkKind, Measured[]>(works.map(({ kind }) => [kind, []])));
  for (let turn = 1; turn <= turns; turn += 1) {
    say(`turn ${turn} of ${turns}`);
    for (const work of works) {
      for (const [index, side] of sides.entries())
        measured[index]?.get(work.kind)?.push(await measure(side, work, signal));
    }
  }
  const [former = new Map(), today = new Map()] = measured;
  return formatRatios({ baseline: commit.slice(0, 12), former, today });
}

async function openSide(root?: string): Promise<Side> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await startDurablePostgres());
  const target = resources.use(await startMeshOneProcess({ DATABASE_URL: database.url }, root));
  const meter = resources.use(await openMeter(target.pids, database.url));
  const owned = resources.move();
  return { target, meter, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function load({ target: { url, app, token } }: Side, work: Work, signal: AbortSignal): Promise<LoadResult> {
  return runLoad({ url, app, connections, warmUpSeconds: 0, ...(token && { token }), ...work }, signal);
}

async function measure(side: Side, work: Work, signal: AbortSignal): Promise<Measured> {
  const start = await side.meter.read();
  const result = await load(side, work, signal);
  await sleep(settleMs, undefined, { signal });
  return { ...result, used: difference(start, await side.meter.read()) };
}

function difference(start: Reading, end: Reading): Reading {
  const of = (name: keyof Reading) => end[name] - start[name];
  return {
    nodeMs: of('nodeMs'),
    postgresMs: of('postgresMs'),
    walBytes: of('walBytes'),
    transactions: of('transactions'),
  };
}
