import {
  encryptKey,
  flag,
  httpUrl,
  listOf,
  part,
  portNumber,
  positiveInteger,
  text,
  timerSeconds,
} from '@agentmesh/lib/service';
import { tokenSigningKeys } from '@agentmesh/lib/signing';
import { type CleanedEnv, EnvError, makeValidator } from 'envalid';
import ipaddr from 'ipaddr.js';
import { type DoorName, doorNames } from './door-names.ts';

const runtimeAuth = makeValidator<'required' | 'open'>((input) => {
  if (input !== 'required' && input !== 'open') throw new EnvError('must be required or open');
  if (input === 'open' && process.env.NODE_ENV === 'production') {
    throw new EnvError('is open, which NODE_ENV=production refuses');
  }
  return input;
});

const redisUrl = makeValidator<string>((input) => {
  const url = URL.parse(input.trim());
  if (url === null || !/^rediss?:$/.test(url.protocol)) throw new EnvError('must be an address like redis://host:6379');
  return input.trim();
});

const originShape = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/i;

/** Comma-separated origins, `scheme://host[:port]`, or `*` for all, as browsers write them. */
const origins = listOf((text) => {
  if (text === '*') return text;
  const url = originShape.test(text) ? URL.parse(text) : null;
  if (url === null) throw new EnvError(`has ${JSON.stringify(text)}, which is no origin like https://app.example:8443`);
  // The URL parser knows the origin only of schemes like http and https.
  return url.origin === 'null' ? text.toLowerCase() : url.origin;
});

/** Comma-separated addresses and CIDRs. */
const networks = listOf((part) => {
  if (ipaddr.isValid(part) || ipaddr.isValidCIDR(part)) return part;
  throw new EnvError(`has ${JSON.stringify(part)}, which is no address like 10.0.0.0/8`);
});

/** Services of Google that push messages to agents, by the names of ADK's option `--trigger_sources`. */
const triggerSources = listOf((part) => {
  if (part === 'pubsub' || part === 'eventarc') return part;
  throw new EnvError(`has ${JSON.stringify(part)}; there are pubsub and eventarc`);
});

const pushCaller = /^([^\s@=]+@[^\s@=]+)=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Comma-separated `service account=id of an account`. */
const triggerAccounts = listOf((part): readonly [serviceAccount: string, accountId: string] => {
  const [, serviceAccount, accountId] = pushCaller.exec(part.toLowerCase()) ?? [];
  if (serviceAccount !== undefined && accountId !== undefined) return [serviceAccount, accountId];
  throw new EnvError(
    `has ${JSON.stringify(part)}, which is no service account with the id of an account, like push@project.iam.gserviceaccount.com=0b5f0b0a-6d0e-4a53-9a6e-3d5b9f6f9c11`,
  );
});

/** Comma-separated names of doors, or `none` alone for no door. */
const doors = makeValidator<DoorName[]>((input) => {
  const names = input.split(',').flatMap((part) => part.trim() || []);
  if (!names.includes('none')) return names.map(doorNamed);
  if (names.length > 1) throw new EnvError('names none beside others, but none stands alone');
  return [];
});

function doorNamed(part: string): DoorName {
  const name = doorNames.find((known) => known === part);
  if (name !== undefined) return name;
  throw new EnvError(`has ${JSON.stringify(part)}; there are ${doorNames.join(', ')}, and none`);
}

/** Settings of the gateway; see docs/settings.md. */
export const settings = {
  NODE_ENV: text({ default: 'development' }),
  HOST: text({ default: '127.0.0.1' }),
  PORT: portNumber({ default: 8000 }),
  PUBLIC_BASE_URL: httpUrl({ default: undefined }),
  ENCRYPT_KEY: encryptKey(),
  TOKEN_SIGNING_KEYS: tokenSigningKeys({ default: [undefined] }),
  AUTH_BASIC_ENABLED: flag({ default: true }),
  AUTH_REGISTER_ENABLED: flag({ default: true }),
  CORS_ALLOWED_ORIGINS: origins({ default: [] }),
  ADK_DEFAULT_APP_NAME: text({ default: undefined }),
  ADK_TRIGGER_SOURCES: triggerSources({ default: [] }),
  ADK_TRIGGER_ACCOUNTS: triggerAccounts({ default: [] }),
  ADK_TRIGGER_MAX_CONCURRENT: positiveInteger({ default: 10 }),
  ADK_WEB_UI: flag({ default: false }),
  CONSOLE: flag({ default: true }),
  DOORS: doors({ default: [...doorNames] }),
  RUNTIME_AUTH: runtimeAuth({ default: 'required' }),
  GATEWAY_MAX_BODY_BYTES: positiveInteger({ default: 20 * 1024 * 1024 }),
  GATEWAY_MAX_BODIES_BYTES: positiveInteger({ default: 64 * 1024 * 1024 }),
  GATEWAY_MAX_ARRIVING_RUNS: positiveInteger({ default: 2_500 }),
  GATEWAY_HEARTBEAT_SECONDS: timerSeconds({ default: 15 }),
  GATEWAY_ACCESS_SAMPLE: part({ default: 0 }),
  GATEWAY_DOCS_ENABLED: flag({ default: true }),
  GATEWAY_TRUSTED_PROXIES: networks({ default: [] }),
  REDIS_URL: redisUrl({ default: undefined }),
  RATE_LIMIT_ENABLED: flag({ default: true }),
  RATE_LIMIT_ACCOUNT_PER_MINUTE: positiveInteger({ default: 600_000 }),
  RATE_LIMIT_SIGN_IN_ADDRESS_BURST: positiveInteger({ default: 3_000 }),
  RATE_LIMIT_SIGN_IN_ADDRESS_PER_HOUR: positiveInteger({ default: 600 }),
  RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: positiveInteger({ default: 20 }),
  RATE_LIMIT_SIGN_IN_ACCOUNT_PER_HOUR: positiveInteger({ default: 120 }),
  RATE_LIMIT_MAIL_ADDRESS_BURST: positiveInteger({ default: 3_000 }),
  RATE_LIMIT_MAIL_ADDRESS_PER_HOUR: positiveInteger({ default: 600 }),
  RATE_LIMIT_SIGN_UP_ADDRESS_BURST: positiveInteger({ default: 500 }),
  RATE_LIMIT_SIGN_UP_ADDRESS_PER_HOUR: positiveInteger({ default: 120 }),
  RATE_LIMIT_ANSWER_ADDRESS_BURST: positiveInteger({ default: 3_000 }),
  RATE_LIMIT_ANSWER_ADDRESS_PER_HOUR: positiveInteger({ default: 1_200 }),
  RATE_LIMIT_DEVICE_ADDRESS_BURST: positiveInteger({ default: 600 }),
  RATE_LIMIT_DEVICE_ADDRESS_PER_HOUR: positiveInteger({ default: 1_800 }),
  RATE_LIMIT_EXPORT_ACCOUNT_BURST: positiveInteger({ default: 5 }),
  RATE_LIMIT_EXPORT_ACCOUNT_PER_HOUR: positiveInteger({ default: 5 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;

/** Whether cookies are for https only. */
export function cookiesAreSecure(config: Config): boolean {
  return config.NODE_ENV === 'production' || publicBaseUrl(config).startsWith('https:');
}

/** The public address of this API. */
export function publicBaseUrl({ PUBLIC_BASE_URL, HOST, PORT }: Config): string {
  return PUBLIC_BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}
