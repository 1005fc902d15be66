import { median } from '../guard/ratios.ts';
import { type LoadJob, runLoad } from '../load/load-job.ts';
import { startBareServer } from '../targets/bare-server.ts';
import { meshOneProcess, meshSeparate } from '../targets/mesh-targets.ts';
import type { Target } from '../targets/target.ts';
import type { Figure, Part, PartOptions } from './part.ts';

const connections = 16;
/** Many short turns: what else the machine does is the same for all sides of one, and the ratio of each turn counts. */
const turns = 9;
const turnSeconds = 2;
/** Each load is a new process. */
const clientWarmUpSeconds = 1;
/** Until V8 has compiled what is used and has collected the old space once, behind which it compiles much of it again. */
const serverWarmUp = [
  { kind: 'create', seconds: 10 },
  { kind: 'run', seconds: 40 },
] as const;

type Work = Pick<LoadJob, 'kind' | 'seconds'>;

/** Each target stands on a PostgreSQL of its own. */
interface Sides {
  readonly one: Target;
  readonly separate: Target;
  readonly oneRow: Target;
  readonly twoRows: Target;
  readonly sameRows: Target;
}

/** Calls a second of one turn. */
interface Turn {
  readonly create: number;
  readonly run: number;
  readonly separateRun: number;
  readonly oneRow: number;
  readonly twoRows: number;
  readonly sameSession: number;
  readonly sameRun: number;
}

/**
 * Which share of a bare Node server's calls the mesh answers, where that stores the same rows in the same tables, and where it stores one small row for
 * each session and two for each run; and which share of one process's runs the separate processes make. All stand side by side and take turns.
 */
export const shares: Part = {
  name: 'shares',
  measure: async (options) => {
    await using resources = new AsyncDisposableStack();
    const sides: Sides = {
      one: resources.use(await meshOneProcess.start()),
      separate: resources.use(await meshSeparate.start()),
      oneRow: resources.use(await startBareServer(1)),
      twoRows: resources.use(await startBareServer(2)),
      sameRows: resources.use(await startBareServer('same')),
    };
    await warmUp(sides, options);
    const measured: Turn[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      options.say(`turn ${turn} of ${turns}`);
      measured.push(await takeTurn(sides, options));
    }
    return figuresOf(measured);
  },
};

async function warmUp(sides: Sides, { say, signal }: PartOptions): Promise<void> {
  for (const work of serverWarmUp) {
    say(`warming up: ${work.kind} for ${work.seconds} s`);
    await Promise.all(Object.values(sides).map((side: Target) => load(side, work, signal)));
  }
}

async function takeTurn({ one, separate, oneRow, twoRows, sameRows }: Sides, { signal }: PartOptions): Promise<Turn> {
  const rate = async (side: Target, kind: LoadJob['kind']) =>
    (await load(side, { kind, seconds: turnSeconds }, signal)).perSecond;
  return {
    oneRow: await rate(oneRow, 'run'),
    create: await rate(one, 'create'),
    sameSession: await rate(sameRows, 'create'),
    separateRun: await rate(separate, 'run'),
    run: await rate(one, 'run'),
    sameRun: await rate(sameRows, 'run'),
    twoRows: await rate(twoRows, 'run'),
  };
}

function load({ url, app, token }: Target, work: Work, signal: AbortSignal) {
  const job = { url, app, connections, warmUpSeconds: clientWarmUpSeconds, ...(token !== undefined && { token }) };
  return runLoad({ ...job, ...work }, signal);
}

function figuresOf(measured: readonly Turn[]): Figure[] {
  const medianOf = (of: (turn: Turn) => number) => median(measured.map(of));
  const share = (label: string, of: (turn: Turn) => number, atLeast: number): Figure => ({
    label,
    value: medianOf(of),
    atLeast,
  });
  return [
    { label: 'create session/s', value: medianOf(({ create }) => create) },
    { label: 'bare server with the same session/s', value: medianOf(({ sameSession }) => sameSession) },
    { label: 'bare server with one row/s', value: medianOf(({ oneRow }) => oneRow) },
    { label: 'run/s', value: medianOf(({ run }) => run) },
    { label: 'bare server with the same run/s', value: medianOf(({ sameRun }) => sameRun) },
    { label: 'bare server with two rows/s', value: medianOf(({ twoRows }) => twoRows) },
    { label: 'run/s, separate processes', value: medianOf(({ separateRun }) => separateRun) },
    share('create session: times a bare server with the same rows', (turn) => turn.create / turn.sameSession, 0.75),
    share('create session: times a bare server with one row', (turn) => turn.create / turn.oneRow, 0.75),
    share('run: times a bare server with the same rows', (turn) => turn.run / turn.sameRun, 0.4),
    share('run: times a bare server with two rows', (turn) => turn.run / turn.twoRows, 0.4),
    share('run, separate processes: times one process', (turn) => turn.separateRun / turn.run, 0.75),
  ];
}
