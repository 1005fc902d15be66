import { migrateJobs } from '../jobs/index.ts';
import { prepareBusLogin, prepareBusSchema } from '../bus/index.ts';
import { closeToOthers, type Login, openDatabase, prepareLogin, schemasOf } from '../pg/index.ts';
import { createLogger, type Logger } from '../telemetry/index.ts';
import { type Environment, parseSettings, SettingsError } from './parse-settings.ts';
import { processSettings } from './process-settings.ts';
import type { Service } from './service.ts';

export interface MigrateOptions {
  readonly services: readonly Service[];
  readonly env: Environment;
  /** Takes a line for each service. */
  readonly print: (line: string) => void;
}

/**
 * Prepares the database of separate processes with the login of `DATABASE_URL`, which may create roles: the schemas of all services, the
 * tables of their job queues and of the bus, and for each `<SERVICE>_DATABASE_URL` its login, with rights on the rows of that service
 * and on its messages alone. When there is such a login, others can no longer connect to the database, except its owner and superusers. Idempotent. Throws SettingsError when `DATABASE_URL` is missing or a login has no password.
 */
export async function migrate({ services, env, print }: MigrateOptions): Promise<void> {
  const { DATABASE_URL: url, LOG_LEVEL: level } = parseSettings(processSettings, env);
  if (url === undefined) throw fault('DATABASE_URL', 'is missing: it names a login that may create roles and schemas');
  const logins = new Map(services.map((service) => [service, loginIn(service.name, env)]));
  const log = createLogger({ level, name: 'migrate' });
  await prepareBusSchema(url);
  for (const [service, login] of logins) {
    await migrateSchemas(service, url, log);
    const schemas = service.database ? schemasOf(service.name, service.database.jobs === true) : [];
    if (login !== undefined) await prepareLogin({ url, login, schemas });
    print(`${service.name}: ${schemas.join(', ') || 'no schema'}; login ${login?.name ?? 'not set'}`);
  }
  const used = Map.groupBy(services, (service) => logins.get(service)?.name);
  for (const [login, users] of used) {
    if (login !== undefined) await prepareBusLogin({ url, login, services: users.map(({ name }) => name) });
  }
  if (logins.values().some((login) => login !== undefined)) await closeToOthers(url);
}

async function migrateSchemas({ name, database }: Service, url: string, log: Logger): Promise<void> {
  if (database === undefined) return;
  await using db = await openDatabase({ service: name, url, poolSize: 3, ...database }, log);
  if (database.jobs === true) await migrateJobs(name, db);
}

function loginIn(service: string, env: Environment): Login | undefined {
  const variable = `${service.toUpperCase()}_DATABASE_URL`;
  const text = env[variable]?.trim();
  if (text === undefined || text === '') return undefined;
  const { username, password } = URL.parse(text) ?? { username: '', password: '' };
  if (username === '' || password === '') throw fault(variable, 'must be postgres://login:password@host/database');
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function fault(variable: string, problem: string): SettingsError {
  return new SettingsError(new Map([[variable, problem]]));
}
