import { fileURLToPath } from 'node:url';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { startDurablePostgres } from './durable-postgres.ts';
import { createClient } from './load-client.ts';
import { freePort, startServer } from './server-process.ts';

/** What this machine can do at most, with nothing of ours between. */
export interface Ceilings {
  /** Durable transactions of one row of 500 bytes, in the PostgreSQL that the targets use. */
  readonly commitsPerSecond: number;
  readonly commitsPerSecond16: number;
  /** JSON echoed by a bare node:http server over 16 connections. */
  readonly httpPerSecond: number;
}

export async function measureCeilings(seconds: number): Promise<Ceilings> {
  await using database = await startDurablePostgres();
  await using rows = await openDatabase(
    { service: 'bench', url: database.url, poolSize: 16, migrations: new URL('migrations/', import.meta.url) },
    createLogger({ level: 'warn', name: 'bench' }),
  );
  const [{ fsync } = { fsync: '' }] = await rows.query<{ fsync: string }>({ text: 'show fsync' });
  if (fsync !== 'on') throw new Error('the PostgreSQL of the benchmark is not durable');
  const insert = { name: 'insert', text: 'insert into rows (body) values ($1)' };
  const body = 'x'.repeat(500);
  const commit = () => rows.query(insert, [body]);
  await rate(16, 0.5, commit);
  return {
    commitsPerSecond: await rate(1, seconds, commit),
    commitsPerSecond16: await rate(16, seconds, commit),
    httpPerSecond: await bareHttp(seconds),
  };
}

async function bareHttp(seconds: number): Promise<number> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const argv = [fileURLToPath(new URL('bare-http.ts', import.meta.url)), String(port)];
  await using _server = await startServer({ argv, env: process.env, readyUrl: url });
  const client = createClient({ url, app: 'none', connections: 16 });
  await rate(16, 0.5, () => client.run('s'));
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
