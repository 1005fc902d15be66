import { resolve } from 'node:path';
import { createLogger } from '../telemetry/index.ts';
import { openEmbedded } from './open-embedded.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { checkTogether, type Environment, parseSettings, processSettings, settingsOf } from './settings/index.ts';
import type { Reseal, Service, Settings } from './service.ts';

export interface CommandOptions {
  readonly service: Service;
  /** Name of a command in `service.commands`. */
  readonly command: string;
  readonly env: Environment;
  readonly reseal: () => Reseal;
  /** Takes the lines that the command prints. */
  readonly print: (line: string) => void;
}

/**
 * Runs a command of a service beside the running mesh: with the service's settings and database, and without the mesh. Throws
 * SettingsError naming every bad variable.
 */
export async function runCommand({ service, command, env, print, reseal }: CommandOptions): Promise<void> {
  const groups: readonly Settings[] = [processSettings, settingsOf(service.name), service.settings];
  checkTogether(groups.map((group) => () => parseSettings(group, env)));
  const config = parseSettings(processSettings, env);
  await using resources = new AsyncDisposableStack();
  const log = createLogger({ level: config.LOG_LEVEL, name: service.name });
  const dataDir = resolve(config.DATA_DIR);
  const databaseUrl = config.DATABASE_URL ?? resources.use(await openEmbedded({ dataDir, log })).url;
  const openDatabase = openServiceDatabase(service, { env, log, resources, databaseUrl });
  await service.command?.(command, { config: parseSettings(service.settings, env), openDatabase, print, reseal });
}
