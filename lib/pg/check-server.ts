import type pg from 'pg';
import type { Logger } from '../telemetry/index.ts';
import type { DatabaseOptions } from './database.ts';

/** The oldest major version that the tests run on. */
const leastVersion = 15;

/** Settings of a server as a session of the service has them. */
export interface ServerSettings {
  /** E.g. `17.2`. */
  readonly version: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

/**
 * Throws an Error when the server is older than the oldest version that is tested, or, with `requireSync`, when it answers a commit before the commit is on its disk. Without
 * `requireSync` the latter is a warning.
 */
export async function checkServer(
  client: pg.Client,
  { service, requireSync = false }: Pick<DatabaseOptions, 'service' | 'requireSync'>,
  log: Logger,
): Promise<void> {
  const { rows } = await client.query<ServerSettings>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as "synchronousCommit"`,
  );
  for (const settings of rows) {
    checkVersion(settings);
    const unsafe = unsafeSettings(settings);
    if (unsafe.length === 0) continue;
    const problem = `the PostgreSQL server of ${service} has ${unsafe.join(' and ')}: a crash of it loses commits that were answered`;
    if (requireSync) throw new Error(`${problem}, which DATABASE_REQUIRE_SYNC=true refuses`);
    log.warn({ service }, problem);
  }
}

/** Throws an Error that names the version when it is too old. */
export function checkVersion({ version }: Pick<ServerSettings, 'version'>): void {
  if (Number.parseInt(version, 10) >= leastVersion) return;
  throw new Error(`the server is PostgreSQL ${version}: version ${leastVersion} or newer is needed`);
}

function unsafeSettings({ fsync, synchronousCommit }: ServerSettings): string[] {
  const unsafe = fsync === 'off' ? ['fsync=off'] : [];
  return synchronousCommit === 'off' ? [...unsafe, 'synchronous_commit=off'] : unsafe;
}
