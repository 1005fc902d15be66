import { type Database, openDatabase, type PoolUse } from '../pg/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { directUrlOf, type Environment, parseSettings, processSettings, settingsOf } from './settings/index.ts';
import type { Service, Settings } from './service.ts';
import { unusableServer } from './unusable-server.ts';

/** Resources that a service's database depends on. */
export interface DatabaseSurroundings {
  readonly env: Environment;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly resources: AsyncDisposableStack;
  /** The database of services that have none of their own. */
  readonly databaseUrl: string;
}

/** Returns how a service opens and migrates its schema: at `<SERVICE>_DATABASE_URL`, else at the process's database. */
export function openServiceDatabase(
  { name: word, database }: Service,
  { env, log, metrics, resources, databaseUrl }: DatabaseSurroundings,
) {
  const own = parseSettings(settingsOf(word) as Settings, env);
  const prefix = word.toUpperCase();
  return async (): Promise<Database> => {
    if (database === undefined) throw new Error(`${word} declares no database`);
    const url = (own[`${prefix}_DATABASE_URL`] as string | undefined) ?? databaseUrl;
    const poolSize = own[`${prefix}_DATABASE_POOL`] as number;
    const { DATABASE_REQUIRE_SYNC: requireSync, DATABASE_URL: shared } = parseSettings(processSettings, env);
    const directUrl = directUrlOf(url, env);
    const options = { service: word, url, directUrl, poolSize, requireSync, ...database, ...watched(word, metrics) };
    const opened = await openDatabase(options, log).catch((error: unknown) => {
      // The embedded PostgreSQL has no setting.
      if (url === databaseUrl && shared === undefined) throw error;
      throw unusableServer(url === databaseUrl ? 'DATABASE_URL' : `${prefix}_DATABASE_URL`, error);
    });
    return resources.use(opened);
  };
}

/** Tells the use of the pool of a service as a metric. */
function watched(service: string, metrics: Metrics | undefined) {
  if (metrics === undefined) return {};
  const pools = poolsOf(metrics);
  return { watchPool: (read: () => PoolUse) => void pools.set(service, read) };
}

const known = new WeakMap<Metrics, Map<string, () => PoolUse>>();

function poolsOf(metrics: Metrics): Map<string, () => PoolUse> {
  const pools = known.get(metrics) ?? new Map<string, () => PoolUse>();
  if (known.has(metrics)) return pools;
  known.set(metrics, pools);
  metrics.gauge({
    name: 'agentmesh_database_pool',
    help: 'Connections for transactions by service: used, idle and most, and the transactions that wait for one.',
    labelNames: ['service', 'state'],
    collect: (gauge) => {
      for (const [service, read] of pools)
        for (const [state, number] of Object.entries({ ...read() } as Record<string, number>))
          gauge.set({ service, state }, number);
    },
  });
  return pools;
}
