import { runLoad } from './load/load-job.ts';
import { serverWarmUpSeconds, warmUpSeconds } from './measure.ts';
import { startBareServer } from './targets/bare-server.ts';
import { startDurablePostgres } from './targets/durable-postgres.ts';
import { openRows } from './targets/rows.ts';

/** Upper limits of this machine, measured without our code. */
export interface Ceilings {
  /** Durable transactions of one row of 500 bytes, in the PostgreSQL that the targets use. */
  readonly commitsPerSecond: number;
  readonly commitsPerSecond16: number;
  /** The same rows, with concurrent rows in one shared transaction. */
  readonly rowsTogetherPerSecond: number;
  /** JSON echoed by a bare node:http server over 16 connections. */
  readonly httpPerSecond: number;
  /** The same with durable rows committed before each answer: one, like the creation of a session, or two, like a run. */
  readonly httpCommitPerSecond: number;
  readonly httpTwoCommitsPerSecond: number;
}

interface CeilingOptions {
  /** Duration of each measurement. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export async function measureCeilings(options: CeilingOptions): Promise<Ceilings> {
  return {
    ...(await measureCommits(options)),
    httpPerSecond: await bareHttp(0, options),
    httpCommitPerSecond: await bareHttp(1, options),
    httpTwoCommitsPerSecond: await bareHttp(2, options),
  };
}

async function measureCommits({ seconds }: CeilingOptions) {
  await using database = await startDurablePostgres();
  await using rows = await openRows(database.url);
  await rate(16, 0.5, () => rows.commit());
  return {
    commitsPerSecond: await rate(1, seconds, () => rows.commit()),
    commitsPerSecond16: await rate(16, seconds, () => rows.commit()),
    rowsTogetherPerSecond: await rate(16, seconds, () => rows.commitTogether()),
  };
}

/** Runs a second, with the load and the warm-ups that the targets get. */
async function bareHttp(rows: 0 | 1 | 2, { seconds, signal }: CeilingOptions): Promise<number> {
  await using server = await startBareServer(rows);
  const job = { url: server.url, app: server.app, kind: 'run', connections: 16 } as const;
  await runLoad({ ...job, warmUpSeconds: 0, seconds: serverWarmUpSeconds }, signal);
  return (await runLoad({ ...job, warmUpSeconds, seconds }, signal)).perSecond;
}

async function rate(connections: number, seconds: number, operation: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let count = 0;
  const connection = async () => {
    while (performance.now() - started < seconds * 1000) {
      await operation();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return (count * 1000) / (performance.now() - started);
}
