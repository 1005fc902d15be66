import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { makeDataDir } from '../../bench/targets/durable-postgres.ts';
import { killPostgres } from '../../faults/kill-postgres.ts';
import { TcpProxy } from '../../faults/tcp-proxy.ts';

const run = promisify(execFile);
const log = createLogger({ level: 'silent', name: 'test' });

/** A primary with a standby that gets its log over a connection, and an address that leads to the primary. */
export interface ReplicatedPostgres extends AsyncDisposable {
  readonly url: string;
  /** The standby gets no more of the log. */
  cutOff(): void;
  /** Kills the primary and promotes the standby, to which the address leads from now on. */
  failOver(): Promise<void>;
}

/** `isSynchronous`: the primary answers a commit when the standby has stored it. */
export async function startReplicatedPostgres(isSynchronous: boolean): Promise<ReplicatedPostgres> {
  await using resources = new AsyncDisposableStack();
  const start = async (dataDir: string, settings: readonly string[]): Promise<EmbeddedPostgres> =>
    resources.use(await startEmbeddedPostgres({ dataDir, log, settings: [...settings] }));
  const [first, second] = await Promise.all([makeDataDir(), makeDataDir()]);
  for (const folder of [first, second]) resources.defer(() => rm(folder, { recursive: true, force: true }));
  await (await startEmbeddedPostgres({ dataDir: first, log, settings: [] }))[Symbol.asyncDispose]();
  await run('cp', ['-a', join(first, 'postgres'), join(second, 'postgres')]);
  const data = join(second, 'postgres', 'data');
  await run('cp', ['-a', join(data, 'PG_VERSION'), join(data, 'standby.signal')]);
  const primary = await start(first, isSynchronous ? ['synchronous_standby_names=*'] : []);
  const link = resources.use(await TcpProxy.open(primary.url));
  const { username, password } = new URL(primary.url);
  const conninfo = `user=${username} password=${password} host=127.0.0.1 port=${link.port}`;
  const standby = await start(second, [`primary_conninfo=${conninfo}`]);
  const address = resources.use(await TcpProxy.open(primary.url));
  await streams(primary.url);
  const opened = resources.move();
  return {
    url: address.through(primary.url),
    cutOff: () => link.freeze(),
    failOver: async () => {
      await killPostgres(primary);
      await ask(standby.url, 'select pg_promote()');
      address.redirect(standby.url);
      address.reset();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Resolves when the standby gets the log. */
async function streams(url: string): Promise<void> {
  const text = `select from pg_stat_replication where state = 'streaming'`;
  while ((await ask(url, text)).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function ask(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}
