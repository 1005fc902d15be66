import { EnvError, str } from 'envalid';
import { type NamedKey, readPrivateKey, readPublicKey } from '../rpc/index.ts';
import { natsSettings } from './nats-settings.ts';
import { list, listOf, portNumber, positiveInteger, postgresUrl, text } from './settings.ts';

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
  LOG_LEVEL: str({ default: 'info', choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] }),
  DATA_DIR: text({ default: '.data' }),
  DATABASE_URL: postgresUrl({ default: undefined }),
  MESH_HOST: text({ default: '127.0.0.1' }),
  MESH_PORT: portNumber({ default: undefined }),
  MESH_IDENTITY: namedKey(readPrivateKey)({ default: [] }),
  MESH_IDENTITIES: namedKey(readPublicKey)({ default: [] }),
  MESH_KEY: text({ default: undefined }),
  MESH_KEY_PREVIOUS: list({ default: [] }),
  MESH_TLS_CERT: text({ default: undefined }),
  MESH_TLS_KEY: text({ default: undefined }),
  MESH_TLS_CA: text({ default: undefined }),
  OPS_HOST: text({ default: '127.0.0.1' }),
  OPS_PORT: portNumber({ default: 9090 }),
  OPS_HOSTS: listOf((name) => name.toLowerCase())({ default: [] }),
  SHUTDOWN_GRACE_SECONDS: positiveInteger({ default: 10 }),
};

/** Settings that exist once for each service, by its word. */
export function settingsOf(word: string) {
  const prefix = word.toUpperCase();
  return {
    [`${prefix}_DATABASE_URL`]: postgresUrl({ default: undefined }),
    [`${prefix}_DATABASE_POOL`]: positiveInteger({ default: 8 }),
    [`${prefix}_DATABASE_CONNECTIONS`]: positiveInteger({ default: undefined }),
    [`MESH_${prefix}_URL`]: text({ default: undefined }),
  };
}

/** Where a service's gRPC listens when the process does not say. */
export function defaultMeshPort(word: string, words: readonly string[]): number {
  return firstMeshPort + words.indexOf(word);
}
