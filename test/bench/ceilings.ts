import { fileURLToPath } from 'node:url';
import { startDurablePostgres } from './targets/durable-postgres.ts';
import { createClient } from './load/load-client.ts';
import { serverWarmUpSeconds } from './measure.ts';
import { openRows } from './rows.ts';
import { freePort, startServer } from './targets/server-process.ts';

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

export async function measureCeilings(seconds: number): Promise<Ceilings> {
  await using database = await startDurablePostgres();
  const commits = await measureCommits(database.url, seconds);
  return {
    ...commits,
    httpPerSecond: await bareHttp(seconds, []),
    httpCommitPerSecond: await bareHttp(seconds, ['1', database.url]),
    httpTwoCommitsPerSecond: await bareHttp(seconds, ['2', database.url]),
  };
}

async function measureCommits(url: string, seconds: number) {
  await using rows = await openRows(url);
  await rate(16, 0.5, () => rows.commit());
  return {
    commitsPerSecond: await rate(1, seconds, () => rows.commit()),
    commitsPerSecond16: await rate(16, seconds, () => rows.commit()),
    rowsTogetherPerSecond: await rate(16, seconds, () => rows.commitTogether()),
  };
}

async function bareHttp(seconds: number, database: readonly string[]): Promise<number> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const argv = [fileURLToPath(new URL('bare-http.ts', import.meta.url)), String(port), ...database];
  await using _server = await startServer({ argv, env: process.env, readyUrl: url });
  const client = createClient({ url, app: 'none', connections: 16 });
  await rate(16, serverWarmUpSeconds, () => client.run('s'));
  return await rate(16, seconds, () => client.run('s'));
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
