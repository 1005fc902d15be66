import { migrateJobs } from '../jobs/index.ts';
import { prepareBusLogin, prepareBusSchema } from '../bus/index.ts';
import {
  closeSchemas,
  closeToOthers,
  type Login,
  MissingRight,
  openDatabase,
  prepareLogin,
  rolesScript,
} from '../pg/index.ts';
import { createLogger, type Logger } from '../telemetry/index.ts';
import { directUrlOf, type Environment, parseSettings, processSettings, SettingsError } from './settings/index.ts';
import { findLostRights, type Logins, othersOf, schemasOfService } from './lost-rights.ts';
import { loginOf } from './service-logins.ts';
import { unusableServer } from './unusable-server.ts';
import type { Service } from './service.ts';

export interface MigrateOptions {
  /** All services of the mesh. */
  readonly services: readonly Service[];
  /** Names of those that are prepared. Rights that belong to the whole database change only when it is all of them. */
  readonly only: readonly string[];
  readonly env: Environment;
  /** Takes a line for each service. */
  readonly print: (line: string) => void;
}

const advice = 'an administrator has to run what `npm start -- migrate --print-sql` prints';

/**
 * Prepares the database of separate processes with the login of `DATABASE_URL`: the schemas of the services, the tables of their job queues and of the bus, and for
 * each `<SERVICE>_DATABASE_URL` its login, with rights on the rows of that service and on its messages alone. When there is such a login, others can no longer
 * connect to the database, except its owner and superusers. Prints the rights that were not there before, e.g. after a restore. Idempotent. Throws SettingsError when `DATABASE_URL` is missing or may not do what has to be done, and
 * when a login has no password.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { url, logins } = readLogins(options);
  try {
    await prepare(options, url, logins);
  } catch (error) {
    if (!(error instanceof MissingRight)) throw unusableServer('DATABASE_URL', error);
    throw fault('DATABASE_URL', `names a login that ${error.message}: ${advice}`);
  }
}

/** Prints the SQL that makes the roles where the login of `DATABASE_URL` may not. Connects to nothing. Throws SettingsError as `migrate`. */
export function printRoles(options: MigrateOptions): void {
  const { url, logins } = readLogins(options);
  const services = options.services.filter(({ name }) => options.only.includes(name));
  const schemas = services.filter(({ database }) => database !== undefined).map(({ name }) => name);
  const wanted = new Map(services.flatMap((service) => logins.get(service) ?? []).map((login) => [login.name, login]));
  options.print(rolesScript({ url, schemas, logins: [...wanted.values()] }));
}

function readLogins({ services, env }: MigrateOptions): { readonly url: string; readonly logins: Logins } {
  const { DATABASE_URL: url } = parseSettings(processSettings, env);
  if (url === undefined) throw fault('DATABASE_URL', 'is missing: it names a login that may create roles and schemas');
  return {
    url: directUrlOf(url, env) ?? url,
    logins: new Map(services.map((service) => [service, loginOf(service.name, env)])),
  };
}

async function prepare({ services, only, env, print }: MigrateOptions, url: string, logins: Logins): Promise<void> {
  const log = createLogger({ level: parseSettings(processSettings, env).LOG_LEVEL, name: 'migrate' });
  const isNamed = ({ name }: Service): boolean => only.includes(name);
  const named = services.filter(isNamed);
  const lost = await findLostRights({ url, services: named, logins });
  await prepareBusSchema(url);
  for (const service of named) {
    await migrateSchemas(service, url, log);
    const schemas = schemasOfService(service);
    await closeSchemas(url, schemas, othersOf(service, logins));
    const login = await prepareOptional(url, logins.get(service), schemas);
    print(`${service.name}: ${schemas.join(', ') || 'no schema'}; login ${login}`);
  }
  const used = Map.groupBy(services, (service) => logins.get(service)?.name);
  for (const [login, users] of used) {
    if (login === undefined || !users.some(isNamed)) continue;
    await prepareBusLogin({ url, login, services: users.map(({ name }) => name) });
  }
  const open = services.every(isNamed) && logins.values().some(Boolean) ? await closeToOthers(url) : [];
  if (open.length > 0) print(`every login of the database may still ${open.join(', ')}: ${advice}`);
  const left = await findLostRights({ url, services: named, logins });
  for (const right of lost) if (!left.includes(right)) print(`set: ${right}`);
  for (const right of left) print(`still missing: ${right}`);
}

/** Prepares the login of a service, and returns how the operator is told about it. */
async function prepareOptional(url: string, login: Login | undefined, schemas: readonly string[]): Promise<string> {
  if (login === undefined) return 'not set';
  const outcome = await prepareLogin({ url, login, schemas });
  return outcome === 'set' ? login.name : `${login.name}, whose password an administrator sets`;
}

/** Makes the schema of a service, and the tables of its job queue. */
export async function migrateSchemas(
  { name, database }: Pick<Service, 'name' | 'database'>,
  url: string,
  log: Logger,
): Promise<void> {
  if (database === undefined) return;
  await using db = await openDatabase({ service: name, url, poolSize: 3, ...database }, log);
  if (database.jobs === true) await migrateJobs(name, db);
}

function fault(variable: string, problem: string): SettingsError {
  return new SettingsError(new Map([[variable, problem]]));
}
