import { rm } from 'node:fs/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { makeDataDir } from '../../bench/targets/durable-postgres.ts';
import { killPostgres } from '../../faults/kill-postgres.ts';
import { TcpProxy } from '../../faults/tcp-proxy.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';

const only = ['auth', 'sessions', 'runs'];
const doubled = ['sessions', 'runs'];
/** Processes of the attacked site. */
export const processes = ['gateway', 'auth', 'sessions', 'sessions-2', 'runs', 'runs-2'] as const;

const env = {
  AGENTS_DIR: agentsDir,
  AUTH_ARGON2_MEMORY_KIB: '64',
  ACCESS_TOKEN_EXPIRE_MINUTES: '1000',
  RATE_LIMIT_ENABLED: 'false',
};

/** Two installations of the mesh on one PostgreSQL. */
export interface Sites extends AsyncDisposable {
  /** Separate processes, two of sessions and two of runs. All their connections to each other and to PostgreSQL lead through proxies. */
  readonly attacked: TestMesh;
  /** One process without proxies: faults of the other site are not to affect its accounts. Absent in a small run. */
  readonly spared: TestMesh | undefined;
  /** The proxies of the attacked site: to the database by process, and to a process. */
  readonly links: readonly TcpProxy[];
  /** Kills PostgreSQL, and starts it again. */
  restartPostgres(): Promise<void>;
  /** Returns a function that counts the runs of before now that have neither ended nor wait for an answer of a user. */
  beginRecovery(): Promise<() => Promise<number>>;
}

export async function openSites({ withSpared }: { readonly withSpared: boolean }): Promise<Sites> {
  await using resources = new AsyncDisposableStack();
  const dataDir = resources.adopt(await makeDataDir(), (folder) => rm(folder, { recursive: true, force: true }));
  const log = createLogger({ level: 'silent', name: 'test' });
  const startPostgres = () => startEmbeddedPostgres({ dataDir, log, settings: ['max_connections=300'] });
  let server: EmbeddedPostgres = await startPostgres();
  resources.defer(() => server[Symbol.asyncDispose]());
  const links = new Map<string, TcpProxy>();
  for (const name of processes) links.set(name, resources.use(await TcpProxy.open(server.url)));
  const between: TcpProxy[] = [];
  const attacked = resources.use(
    await startMesh({
      mode: 'separate',
      env,
      only,
      doubled,
      ownEnv: (name) => ({ DATABASE_URL: links.get(name)?.through(server.url) ?? '' }),
      reachedAt: async (_, port) => {
        const link = resources.use(await TcpProxy.open(`http://127.0.0.1:${port}`));
        between.push(link);
        return link.port;
      },
    }),
  );
  const spared = withSpared ? resources.use(await startMesh({ mode: 'all', databaseUrl: server.url, env })) : undefined;
  const opened = resources.move();
  return {
    attacked,
    spared,
    links: [...links.values(), ...between],
    restartPostgres: async () => {
      await killPostgres(server);
      server = await startPostgres();
    },
    beginRecovery: () => beginRecovery(server.url),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function beginRecovery(url: string): Promise<() => Promise<number>> {
  const [now] = await ask<{ now: Date }>(url, 'select clock_timestamp() as now');
  const text = `select count(*)::integer as n from sessions.runs
    where created_at <= $1 and ended_at is null and status <> 'waiting'`;
  return async () => (await ask<{ n: number }>(url, text, [now?.now]))[0]?.n ?? -1;
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
