import {
  daysFrom,
  encryptKey,
  flag,
  httpUrl,
  portNumber,
  positiveInteger,
  text,
  wholeNumberFrom,
} from '@agentmesh/lib/service';
import { tokenSigningKeys } from '@agentmesh/lib/signing';
import type { CleanedEnv } from 'envalid';
import { EnvError, makeExactValidator, str } from 'envalid';
import { findEmailAddress } from './email-address.ts';
import { parseSmtpUrl, type SmtpServer } from './smtp-url.ts';
import { isPossiblePassword } from './passwords/password.ts';

const emailAddress = makeExactValidator<string>((text) => {
  const address = findEmailAddress(text);
  if (address === undefined) throw new EnvError('must be an e-mail address');
  return address;
});

const password = makeExactValidator<string>((text) => {
  if (!isPossiblePassword(text)) throw new EnvError('is too long for a password');
  return text;
});

const smtpServer = makeExactValidator<SmtpServer>((text) => {
  const server = parseSmtpUrl(text);
  // The message must not quote the text: it may contain a password.
  if (server === undefined) throw new EnvError('must be smtp://user:pass@host:port or smtps://…');
  return server;
});

/** `box@domain` or `Name <box@domain>`. */
const mailbox = makeExactValidator<string>((text) => {
  const [, name = '', quoted] = /^([^<>@,;:"\\\r\n]*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  const address = findSender(quoted ?? text);
  if (address === undefined) throw new EnvError('must be an address, or a name and <an address>');
  return name.trim() === '' ? address : `${name.trim()} <${address}>`;
});

/** A sender may also be at `localhost`. */
function findSender(text: string): string | undefined {
  return /^[a-z0-9._+-]+@localhost$/.test(text.trim()) ? text.trim() : findEmailAddress(text);
}

/** Settings of the service; see docs/settings.md. */
export const settings = {
  NODE_ENV: str({ default: 'development' }),
  ENCRYPT_KEY: encryptKey(),
  TOKEN_SIGNING_KEYS: tokenSigningKeys({ default: [undefined] }),
  ACCESS_TOKEN_EXPIRE_MINUTES: positiveInteger({ default: 120 }),
  AUTH_REFRESH_EXPIRE_DAYS: daysFrom(1)({ default: 30 }),
  DEFAULT_SUPERADMIN_EMAIL: emailAddress({ default: undefined }),
  DEFAULT_SUPERADMIN_PASSWORD: password({ default: undefined }),
  AUTH_REGISTER_ENABLED: flag({ default: true }),
  AUTH_BASIC_ENABLED: flag({ default: true }),
  AUTH_EMAIL_VERIFICATION_REQUIRED: flag({ default: false }),
  EMAIL_VERIFY_TOKEN_EXPIRE_HOURS: wholeNumberFrom(1, 24_000_000)({ default: 24 }),
  PASSWORD_RESET_TOKEN_EXPIRE_MINUTES: positiveInteger({ default: 30 }),
  AUTH_ANSWER_LINK_EXPIRE_HOURS: wholeNumberFrom(1, 8_760)({ default: 72 }),
  SMTP_URL: smtpServer({ default: undefined }),
  MAIL_FROM: mailbox({ default: undefined }),
  APP_PUBLIC_URL: httpUrl({ default: undefined }),
  PUBLIC_BASE_URL: httpUrl({ default: undefined }),
  HOST: text({ default: '127.0.0.1' }),
  PORT: portNumber({ default: 8000 }),
  AUTH_AUDIT_RETENTION_DAYS: wholeNumberFrom(30, 36_500)({ default: 365 }),
  AUTH_ARGON2_MEMORY_KIB: wholeNumberFrom(8, 4_194_304)({ default: 19_456 }),
  AUTH_ARGON2_PASSES: positiveInteger({ default: 2 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;

/** Public URL of the front end, for links in mail. It never comes from a request, so no caller can make links lead elsewhere. */
export function appPublicUrl(config: Config): string {
  return config.APP_PUBLIC_URL ?? apiPublicUrl(config);
}

/** Public URL of the gateway, for links in mail that lead to its own pages. */
export function apiPublicUrl({ PUBLIC_BASE_URL, HOST, PORT }: Config): string {
  return PUBLIC_BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}
