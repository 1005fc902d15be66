import { type Database, openDatabase } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { directUrlOf, type Environment, parseSettings, processSettings, settingsOf } from './settings/index.ts';
import type { Service, Settings } from './service.ts';

/** Resources that a service's database depends on. */
export interface DatabaseSurroundings {
  readonly env: Environment;
  readonly log: Logger;
  readonly resources: AsyncDisposableStack;
  /** The database of services that have none of their own. */
  readonly databaseUrl: string;
}

/** Returns how a service opens and migrates its schema: at `<SERVICE>_DATABASE_URL`, else at the process's database. */
export function openServiceDatabase(
  { name: word, database }: Service,
  { env, log, resources, databaseUrl }: DatabaseSurroundings,
) {
  const own = parseSettings(settingsOf(word) as Settings, env);
  const prefix = word.toUpperCase();
  return async (): Promise<Database> => {
    if (database === undefined) throw new Error(`${word} declares no database`);
    const url = (own[`${prefix}_DATABASE_URL`] as string | undefined) ?? databaseUrl;
    const poolSize = own[`${prefix}_DATABASE_POOL`] as number;
    const { DATABASE_REQUIRE_SYNC: requireSync } = parseSettings(processSettings, env);
    const directUrl = directUrlOf(url, env);
    return resources.use(
      await openDatabase({ service: word, url, directUrl, poolSize, requireSync, ...database }, log),
    );
  };
}
