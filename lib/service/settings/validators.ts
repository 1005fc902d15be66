import { EnvError, EnvMissingError, makeValidator, type RequiredValidatorSpec, type ValidatorSpec } from 'envalid';

const shortKeyBytes = 32;

/** A whole number of at least 1. */
export const positiveInteger = makeValidator<number>((input) => {
  if (!/^[1-9]\d{0,9}$/.test(input)) throw new EnvError('must be a whole number of at least 1');
  return Number(input);
});

/** A whole number; 0 where the setting says what that means. */
export const wholeNumber = makeValidator<number>((input) => {
  if (!/^\d{1,15}$/.test(input)) throw new EnvError('must be a whole number');
  return Number(input);
});

/** A whole number from `least` to `most`, which is at most 2^53 - 1. */
export function wholeNumberFrom(least: number, most: number) {
  return makeValidator<number>((input) => {
    const value = /^\d{1,16}$/.test(input) ? Number(input) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new EnvError(`must be a whole number from ${least} to ${most}`);
  });
}

/** A time in seconds that a timer of Node can take: with a longer one it is over at once. */
export const timerSeconds = wholeNumberFrom(1, 2_147_483);

/** Days for which something is kept, at least `least`: 0 where the setting says what that means. PostgreSQL knows no time much longer ago. */
export function daysFrom(least: number) {
  return wholeNumberFrom(least, 1_000_000);
}

/** An amount with at most nine decimal places, below a million; 0 where the setting says what that means. */
export const amount = makeValidator<number>((input) => {
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(input)) throw new EnvError('must be a number such as 0.5');
  return Number(input);
});

/** A part of a whole, from 0 (nothing) to 1 (all of it). */
export const part = makeValidator<number>((input) => {
  if (!/^(0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(input)) throw new EnvError('must be a number from 0 to 1');
  return Number(input);
});

/** A TCP port; 0 where the setting says what that means. */
export const portNumber = makeValidator<number>((input) => {
  if (!/^\d{1,5}$/.test(input) || Number(input) > 65_535) throw new EnvError('must be a port from 0 to 65535');
  return Number(input);
});

/** `true`, `false`, `1`, `0`, `yes`, `no`, `on` or `off`. */
export const flag = makeValidator<boolean>((input) => {
  const text = input.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw new EnvError('must be true or false');
});

/**
 * Comma-separated values, each parsed by `read`. Blanks around a value and empty values are dropped. `read` throws EnvError for a
 * bad value.
 */
export function listOf<T>(read: (part: string) => T) {
  return makeValidator<T[]>((input) =>
    input
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(read),
  );
}

/** Comma-separated text. */
export const list = listOf((part) => part);

/** Text that is not blank, without the blanks around it. */
export const text = makeValidator<string>((input) => {
  if (input.trim() === '') throw new EnvError('must not be blank');
  return input.trim();
});

/** An http or https address without a trailing slash. */
export const httpUrl = makeValidator<string>((input) => {
  const url = URL.parse(input.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) throw new EnvError('must be an http or https address');
  return input.trim().replace(/\/+$/, '');
});

/** A host with or without a port, behind `http://`, `https://`, `dns:///` or nothing. */
const hostAndPort = /^(?:https?:\/\/|dns:\/{3})?(?:\[[\da-fA-F:.]+\]|[^\s/:@?#[\]]+)(?::(?<port>\d{1,5}))?\/?$/;
/** Other addresses that gRPC knows, such as `unix:/run/auth.sock`. */
const ofGrpc = /^(?:unix:|(?:dns|ipv[46]):(?!\/{3}|\d+$))\S+$/;

/** Address of a service in another process. Without a port it is 443, as for gRPC. */
export const meshAddress = makeValidator<string>((input) => {
  const address = input.trim();
  const found = hostAndPort.exec(address);
  const isGood = found === null ? ofGrpc.test(address) : Number(found.groups?.['port'] ?? 443) <= 65_535;
  if (!isGood) throw new EnvError('must be an address such as http://auth:9101 or dns:///auth:9101');
  return address;
});

/** Address of a PostgreSQL server. A bad one is not repeated, because it may hold a password. */
export const postgresUrl = makeValidator<string>((input) => {
  const url = input.trim();
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) throw new EnvError('must be a postgres:// address');
  return url;
});

const key = makeValidator<string>((input) => {
  if (input.trim() === '') throw new EnvMissingError('is blank');
  if (process.env.NODE_ENV === 'production' && isShortKey(input)) {
    throw new EnvError(`has under ${shortKeyBytes} bytes, which NODE_ENV=production refuses`);
  }
  return input;
});

/** `ENCRYPT_KEY`: signs access tokens and is the root of encryption. Required, never blank, never defaulted. */
export function encryptKey(): RequiredValidatorSpec<string> {
  return key({ desc: 'a long random text; for a laptop, `npm run dev` makes one' });
}

/** Whether a key is too short to be safe; production refuses it, elsewhere it is worth a loud warning. */
export function isShortKey(encryptionKey: string): boolean {
  return Buffer.byteLength(encryptionKey) < shortKeyBytes;
}

export type { ValidatorSpec };
