import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';

/** Cost of statements since the last reset: of those that were called at least `times` times. */
export interface Statements {
  readonly calls: number;
  readonly walBytes: number;
  readonly notifies: number;
  /** Bytes of the texts of statements without notifications, each counted once. PostgreSQL measures and copies a text at each call. */
  readonly textBytes: number;
  /** Number of their parameters. */
  readonly parameters: number;
}

export interface CountedPostgres extends AsyncDisposable {
  readonly url: string;
  reset(): Promise<void>;
  /** Statements that are called less often belong to the work of timers. */
  calledAtLeast(times: number): Promise<Statements>;
}

const settings = [
  'fsync=off',
  'autovacuum=off',
  // Copies of whole pages would depend on when the last checkpoint was.
  'full_page_writes=off',
  'shared_preload_libraries=pg_stat_statements',
];

/** A PostgreSQL of its own that counts statements. */
export async function countedPostgres(): Promise<CountedPostgres> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'agentmesh-cost-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  // The server runs as another account when this process is root.
  await chmod(dataDir, 0o711);
  const server = resources.use(
    await startEmbeddedPostgres({ dataDir, log: createLogger({ level: 'silent', name: 'test' }), settings }),
  );
  const client = new pg.Client(server.url);
  await client.connect();
  resources.defer(() => client.end());
  await client.query('create extension pg_stat_statements');
  const opened = resources.move();
  return {
    url: server.url,
    reset: async () => void (await client.query('select pg_stat_statements_reset()')),
    calledAtLeast: async (times) => {
      const { rows } = await client.query<{ query: string; calls: string; wal: string }>(
        `select query, sum(calls) as calls, sum(wal_bytes) as wal
         from pg_stat_statements where calls >= $1 and query not ilike 'begin%' and query not ilike 'commit%' group by query`,
        [times],
      );
      const sum = (of: readonly number[]) => of.reduce((total, number) => total + number, 0);
      const callsOf = (some: typeof rows) => sum(some.map(({ calls }) => Number(calls)));
      const isNotify = ({ query }: { readonly query: string }) => query.includes('pg_notify');
      const texts = rows.filter((row) => !isNotify(row)).map(({ query }) => query);
      return {
        calls: callsOf(rows),
        notifies: callsOf(rows.filter(isNotify)),
        walBytes: sum(rows.map(({ wal }) => Number(wal))),
        textBytes: sum(texts.map((text) => Buffer.byteLength(text))),
        parameters: sum(texts.map((text) => new Set(text.match(/\$\d+/g)).size)),
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
