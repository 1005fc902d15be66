import { encryptKey, flag, positiveInteger } from '@agentmesh/lib/service';
import type { CleanedEnv } from 'envalid';
import { EnvError, makeExactValidator, makeValidator, str } from 'envalid';
import { findEmailAddress } from './email-address.ts';
import { isPossiblePassword } from './password.ts';

const emailAddress = makeExactValidator<string>((text) => {
  const address = findEmailAddress(text);
  if (address === undefined) throw new EnvError('must be an e-mail address');
  return address;
});

const password = makeExactValidator<string>((text) => {
  if (!isPossiblePassword(text)) throw new EnvError('is too long for a password');
  return text;
});

const argon2MemoryKib = makeValidator<number>((text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 8 || value > 4_194_304) throw new EnvError('must be 8 to 4194304 KiB');
  return value;
});

export const settings = {
  NODE_ENV: str({ default: 'development' }),
  ENCRYPT_KEY: encryptKey(),
  ACCESS_TOKEN_EXPIRE_MINUTES: positiveInteger({ default: 120 }),
  AUTH_REFRESH_EXPIRE_DAYS: positiveInteger({ default: 30 }),
  DEFAULT_SUPERADMIN_EMAIL: emailAddress({ default: undefined }),
  DEFAULT_SUPERADMIN_PASSWORD: password({ default: undefined }),
  AUTH_REGISTER_ENABLED: flag({ default: true }),
  AUTH_BASIC_ENABLED: flag({ default: true }),
  AUTH_EMAIL_VERIFICATION_REQUIRED: flag({ default: false }),
  AUTH_ARGON2_MEMORY_KIB: argon2MemoryKib({ default: 19_456 }),
  AUTH_ARGON2_PASSES: positiveInteger({ default: 2 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;
