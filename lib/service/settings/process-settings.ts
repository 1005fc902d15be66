import { EnvError, str } from 'envalid';
import { type MeshNode, type NamedKey, readPrivateKey, readPublicKey } from '../../rpc/index.ts';
import { consumerGrants } from './consumers.ts';
import { natsSettings } from './nats-settings.ts';
import { type Environment, parseSettings, SettingsError } from './parse-settings.ts';
import {
  flag,
  list,
  listOf,
  meshAddress,
  portNumber,
  positiveInteger,
  postgresUrl,
  text,
  timerSeconds,
} from './validators.ts';

/** First port of the services' own gRPC listeners; a service adds its place in the list of services. */
const firstMeshPort = 9101;

/** The text of a bad key is not repeated, because it may be secret. */
function namedKey(read: (text: string) => NamedKey | undefined) {
  return listOf((part) => {
    const key = read(part);
    if (key === undefined) throw new EnvError('must be service:key, several separated by commas');
    return key;
  });
}

/** Settings of the process itself, independent of its services; see docs/settings.md. */
export const processSettings = {
  ...natsSettings,
  NODE_ENV: str({ default: 'development' }),
  LOG_LEVEL: str({
    default: 'info',
    choices: ['fatal', 'error', 'warn', 'info', 'access', 'debug', 'trace', 'silent'],
  }),
  LOG_FORMAT: str({ default: 'json', choices: ['json', 'plain'] }),
  DATA_DIR: text({ default: '.data' }),
  DATABASE_URL: postgresUrl({ default: undefined }),
  DATABASE_DIRECT_URL: postgresUrl({ default: undefined }),
  DATABASE_REQUIRE_SYNC: flag({ default: false }),
  MESH_HOST: text({ default: '127.0.0.1' }),
  MESH_PORT: portNumber({ default: undefined }),
  MESH_IDENTITY: namedKey(readPrivateKey)({ default: [] }),
  MESH_IDENTITIES: namedKey(readPublicKey)({ default: [] }),
  MESH_CONSUMERS: consumerGrants({ default: new Map() }),
  MESH_REFLECTION: flag({ default: false }),
  MESH_KEY: text({ default: undefined }),
  MESH_KEY_PREVIOUS: list({ default: [] }),
  MESH_TLS_CERT: text({ default: undefined }),
  MESH_TLS_KEY: text({ default: undefined }),
  MESH_TLS_CA: text({ default: undefined }),
  OPS_HOST: text({ default: '127.0.0.1' }),
  OPS_PORT: portNumber({ default: 9090 }),
  OPS_PROFILES: flag({ default: false }),
  OPS_HOSTS: listOf((name) => name.toLowerCase())({ default: [] }),
  SHUTDOWN_GRACE_SECONDS: timerSeconds({ default: 10 }),
};

/** Settings that exist once for each service, by its word. */
export function settingsOf(word: string) {
  const prefix = word.toUpperCase();
  return {
    [`${prefix}_DATABASE_URL`]: postgresUrl({ default: undefined }),
    [`${prefix}_DATABASE_POOL`]: positiveInteger({ default: 8 }),
    [`${prefix}_DATABASE_CONNECTIONS`]: positiveInteger({ default: undefined }),
    [addressSetting(word)]: meshAddress({ default: undefined }),
  };
}

/**
 * Address past the pooler of the database that `url` names; undefined without a pooler. A service with a login of its own has it here too, and an address without a login
 * takes that of `url`. Throws SettingsError where there is a direct address and no `DATABASE_URL`.
 */
export function directUrlOf(url: string, env: Environment): string | undefined {
  const { DATABASE_DIRECT_URL: given, DATABASE_URL: usual } = parseSettings(processSettings, env);
  if (given === undefined) return undefined;
  checkDirect(env);
  const [direct, pooled] = [new URL(given), new URL(url)];
  if (url !== usual || direct.username === '') {
    direct.username = pooled.username;
    direct.password = pooled.password;
  }
  return direct.href;
}

/** Throws SettingsError where there is a direct address and no pooler. */
export function checkDirect(env: Environment): void {
  const { DATABASE_DIRECT_URL: direct, DATABASE_URL: url } = parseSettings(processSettings, env);
  if (direct === undefined || url !== undefined) return;
  throw new SettingsError(new Map([['DATABASE_URL', 'is missing: DATABASE_DIRECT_URL says that it names a pooler']]));
}

/** Where a service's gRPC listens when the process does not say. */
export function defaultMeshPort(word: string, words: readonly string[]): number {
  return firstMeshPort + words.indexOf(word);
}

/** The addresses of services in other processes, by word. */
export function meshUrls(words: readonly string[], env: Environment): Record<string, string> {
  const urls = words.map((word) => [word, env[addressSetting(word)]?.trim() ?? ''] as const);
  return Object.fromEntries(urls.filter(([, url]) => url !== ''));
}

interface Call {
  readonly caller: string;
  readonly called: string;
}

interface ProcessServices {
  readonly services: readonly { readonly name: string; readonly calls?: readonly string[] }[];
  readonly words: readonly string[];
  readonly env: Environment;
}

/** Calls of services of this process to those that neither run here nor have an address. With consumers, each service records their calls at auth. */
export function callsAway({ services, words, env }: ProcessServices): Call[] {
  const { MESH_CONSUMERS: consumers } = parseSettings({ MESH_CONSUMERS: processSettings.MESH_CONSUMERS }, env);
  const reached = new Set([...services.map(({ name }) => name), ...Object.keys(meshUrls(words, env))]);
  return services.flatMap(({ name: caller, calls = [] }) => {
    const all = new Set(consumers.size > 0 && caller !== 'gateway' ? [...calls, 'auth'] : calls);
    return [...all].filter((called) => !reached.has(called)).map((called) => ({ caller, called }));
  });
}

/** Throws SettingsError for calls of services of this process to those of `words` that neither run here nor have an address. */
export function checkAddresses(missing: readonly Call[], words: readonly string[]): void {
  const named = missing.filter(({ called }) => words.includes(called));
  if (named.length === 0) return;
  const problems = named.map(({ caller, called }) => {
    const problem = `is missing or blank: ${caller} calls ${called}, which does not run in this process`;
    return [addressSetting(called), problem] as const;
  });
  throw new SettingsError(new Map(problems));
}

/** Throws SettingsError when a grant of a consumer names what no service of this process has. */
export function checkGrants(mesh: Pick<MeshNode, 'grantFaults'>): void {
  const faults = mesh.grantFaults();
  if (faults.length > 0) throw new SettingsError(new Map([['MESH_CONSUMERS', faults.join('; ')]]));
}

function addressSetting(word: string): string {
  return `MESH_${word.toUpperCase()}_URL`;
}
