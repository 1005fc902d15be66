import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadJob, type LoadResult, runLoad } from '../load/load-job.ts';
import { startDurablePostgres } from '../targets/durable-postgres.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Target } from '../targets/target.ts';
import { checkOut, commitOf } from './baseline.ts';
import { type Meter, openMeter, type Reading } from './meter.ts';
import { formatRatios, type Measured, type Turn, type WorkKind } from './ratios.ts';

const connections = 16;
/** Many short turns: what else the machine does is the same for both sides of one, and its ratio counts. */
const turns = 9;
/** Until V8 has compiled what is used, and has collected its old space once, behind which it compiles much of it again. */
const warmUp = [
  { kind: 'create', seconds: 3 },
  { kind: 'firstEvent', seconds: 2, perSecond: 200 },
  { kind: 'page', seconds: 2 },
  { kind: 'artifact', seconds: 2 },
  { kind: 'run', seconds: 20 },
] as const satisfies readonly Work[];
/** Time for the work that follows the last answer. */
const settleMs = 200;
/** Requests of streams and of slow kinds are few, so that both sides wait for nothing. */
const works = [
  { kind: 'run', seconds: 1.6 },
  { kind: 'create', seconds: 0.6 },
  { kind: 'firstEvent', seconds: 1, perSecond: 200 },
  { kind: 'page', seconds: 0.6 },
  { kind: 'artifact', seconds: 0.6 },
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
  say(`warming up, then ${turns} turns`);
  for (const work of warmUp) await Promise.all([before, now].map((side) => load(side, work, signal)));
  const measured = new Map<WorkKind, Turn[]>(works.map(({ kind }) => [kind, []]));
  for (let turn = 1; turn <= turns; turn += 1) {
    say(`turn ${turn} of ${turns}`);
    for (const work of works) measured.get(work.kind)?.push(await takeTurn({ before, now }, { work, turn }, signal));
  }
  return formatRatios(commit.slice(0, 12), measured);
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

/** Measures both sides, in every second turn the later commit first. */
async function takeTurn(
  { before, now }: { readonly before: Side; readonly now: Side },
  { work, turn }: { readonly work: Work; readonly turn: number },
  signal: AbortSignal,
): Promise<Turn> {
  if (turn % 2 === 0) {
    const today = await measure(now, work, signal);
    return { today, former: await measure(before, work, signal) };
  }
  const former = await measure(before, work, signal);
  return { former, today: await measure(now, work, signal) };
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
