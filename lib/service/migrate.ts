import { migrateJobs } from '../jobs/index.ts';
import { prepareBusLogin, prepareBusSchema } from '../bus/index.ts';
import {
  closeToOthers,
  type Login,
  MissingRight,
  openDatabase,
  prepareLogin,
  rolesScript,
  schemasOf,
} from '../pg/index.ts';
import { createLogger, type Logger } from '../telemetry/index.ts';
import { type Environment, parseSettings, SettingsError } from './parse-settings.ts';
import { directUrlOf, processSettings, settingsOf } from './process-settings.ts';
import type { Service, Settings } from './service.ts';

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

type Logins = ReadonlyMap<Service, Login | undefined>;

/**
 * Prepares the database of separate processes with the login of `DATABASE_URL`: the schemas of the services, the tables of their job queues and of the bus, and for
 * each `<SERVICE>_DATABASE_URL` its login, with rights on the rows of that service and on its messages alone. When there is such a login, others can no longer
 * connect to the database, except its owner and superusers. Idempotent. Throws SettingsError when `DATABASE_URL` is missing or may not do what has to be done, and
 * when a login has no password.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { url, logins } = readLogins(options);
  try {
    await prepare(options, url, logins);
  } catch (error) {
    if (!(error instanceof MissingRight)) throw error;
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
    logins: new Map(services.map((service) => [service, loginIn(service.name, env)])),
  };
}

async function prepare({ services, only, env, print }: MigrateOptions, url: string, logins: Logins): Promise<void> {
  const log = createLogger({ level: parseSettings(processSettings, env).LOG_LEVEL, name: 'migrate' });
  const isNamed = ({ name }: Service): boolean => only.includes(name);
  await prepareBusSchema(url);
  for (const service of services.filter(isNamed)) {
    await migrateSchemas(service, url, log);
    const schemas = service.database ? schemasOf(service.name, service.database.jobs === true) : [];
    const login = await prepareOptional(url, logins.get(service), schemas);
    print(`${service.name}: ${schemas.join(', ') || 'no schema'}; login ${login}`);
  }
  const used = Map.groupBy(services, (service) => logins.get(service)?.name);
  for (const [login, users] of used) {
    if (login === undefined || !users.some(isNamed)) continue;
    await prepareBusLogin({ url, login, services: users.map(({ name }) => name) });
  }
  if (!services.every(isNamed) || !logins.values().some((login) => login !== undefined)) return;
  const open = await closeToOthers(url);
  if (open.length > 0) print(`every login of the database may still ${open.join(', ')}: ${advice}`);
}

/** Prepares the login of a service, and returns how the operator is told about it. */
async function prepareOptional(url: string, login: Login | undefined, schemas: readonly string[]): Promise<string> {
  if (login === undefined) return 'not set';
  const outcome = await prepareLogin({ url, login, schemas });
  return outcome === 'set' ? login.name : `${login.name}, whose password an administrator sets`;
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
  const connections = parseSettings(settingsOf(service) as Settings, env)[
    `${service.toUpperCase()}_DATABASE_CONNECTIONS`
  ];
  return {
    name: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connections: connections as number | undefined,
  };
}

function fault(variable: string, problem: string): SettingsError {
  return new SettingsError(new Map([[variable, problem]]));
}
