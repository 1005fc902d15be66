import type { CleanedEnv } from 'envalid';
import { SettingsError } from './parse-settings.ts';
import { list, positiveInteger, text } from './validators.ts';

/** Settings of NATS; see docs/settings.md. */
export const natsSettings = {
  NATS_URL: list({ default: [] }),
  NATS_CREDS: text({ default: undefined }),
  NATS_USER: text({ default: undefined }),
  NATS_PASSWORD: text({ default: undefined }),
  NATS_TLS_CA: text({ default: undefined }),
  NATS_TLS_CERT: text({ default: undefined }),
  NATS_TLS_KEY: text({ default: undefined }),
  NATS_STREAM_REPLICAS: positiveInteger({ default: 1 }),
};

type NatsConfig = Readonly<CleanedEnv<typeof natsSettings>>;

/** Throws SettingsError for settings of NATS that cannot work together. */
export function checkNats(config: NatsConfig): void {
  const problems = new Map<string, string>();
  const { NATS_URL, NATS_CREDS, NATS_USER, NATS_PASSWORD, NATS_TLS_CERT, NATS_TLS_KEY } = config;
  for (const url of NATS_URL) {
    const protocol = URL.parse(url)?.protocol;
    if (protocol !== 'nats:' && protocol !== 'tls:') problems.set('NATS_URL', 'must be nats:// or tls:// addresses');
    else if (URL.parse(url)?.username)
      problems.set('NATS_URL', 'must not contain a user: set NATS_USER and NATS_PASSWORD');
  }
  if (NATS_CREDS !== undefined && NATS_USER !== undefined) {
    problems.set('NATS_CREDS', 'and NATS_USER are both set: give one of them');
  }
  if ((NATS_USER === undefined) !== (NATS_PASSWORD === undefined)) {
    problems.set(NATS_USER === undefined ? 'NATS_USER' : 'NATS_PASSWORD', 'is missing: both are needed');
  }
  if ((NATS_TLS_CERT === undefined) !== (NATS_TLS_KEY === undefined)) {
    problems.set(NATS_TLS_CERT === undefined ? 'NATS_TLS_CERT' : 'NATS_TLS_KEY', 'is missing: both are needed');
  }
  if (problems.size > 0) throw new SettingsError(problems);
}

/**
 * How the process reaches NATS; undefined when `NATS_URL` is unset. `name` is the service that it runs, or `mesh`: the permissions in deploy/nats name the prefix of
 * its reply subjects.
 */
export function natsOptions(config: NatsConfig, name: string) {
  if (config.NATS_URL.length === 0) return undefined;
  const { NATS_TLS_CA: ca, NATS_TLS_CERT: cert, NATS_TLS_KEY: key } = config;
  // The client ignores the scheme: without `tls` it would speak to a server without TLS.
  const isEncrypted = config.NATS_URL.some((url) => URL.parse(url)?.protocol === 'tls:');
  return {
    servers: config.NATS_URL,
    creds: config.NATS_CREDS,
    user: config.NATS_USER,
    password: config.NATS_PASSWORD,
    ...((isEncrypted || ca !== undefined || cert !== undefined) && { tls: { ca, cert, key } }),
    replicas: config.NATS_STREAM_REPLICAS,
    inboxPrefix: `_INBOX.${name}`,
    name: `agentmesh ${name}`,
  };
}
