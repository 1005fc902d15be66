import { EnvError, makeValidator } from 'envalid';

/** A key that signs what clients show: access tokens, cookies of browsers, tickets. */
export interface SigningKey {
  /** The `kid` in the header of what it signs. Undefined: `ENCRYPT_KEY`, whose tokens have none. */
  readonly id: string | undefined;
  /** The key is the UTF-8 bytes of this text. */
  readonly secret: string;
}

/** An entry of `TOKEN_SIGNING_KEYS`; undefined stands for `ENCRYPT_KEY`. */
type Entry = SigningKey | undefined;

const leastBytes = 32;
const shape = /^([a-z0-9][a-z0-9._-]{0,63}):(\S+)$/;

/** `TOKEN_SIGNING_KEYS`: comma-separated, each `<kid>:<secret>` or the word `ENCRYPT_KEY`. The first one signs, all verify. Messages quote no secret. */
export const tokenSigningKeys = makeValidator<readonly Entry[]>((input) => {
  const entries = input.split(',').map((part) => read(part.trim()));
  if (new Set(entries.map((entry) => entry?.id)).size < entries.length) throw new EnvError('names a key twice');
  return entries;
});

function read(part: string): Entry {
  if (part === 'ENCRYPT_KEY') return undefined;
  const [, id, secret = ''] = shape.exec(part) ?? [];
  if (id === undefined) {
    throw new EnvError(
      'must be a list such as 2026b:<secret>,2026a:<secret>; the word ENCRYPT_KEY stands for that key',
    );
  }
  if (Buffer.byteLength(secret) < leastBytes) throw new EnvError(`has a key "${id}" of under ${leastBytes} bytes`);
  return { id, secret };
}

/** The keys of a process: the first one signs. Without `TOKEN_SIGNING_KEYS` it is `ENCRYPT_KEY` alone. */
export function signingKeysOf(config: {
  readonly ENCRYPT_KEY: string;
  readonly TOKEN_SIGNING_KEYS: readonly Entry[];
}): readonly SigningKey[] {
  const { ENCRYPT_KEY: secret, TOKEN_SIGNING_KEYS: entries } = config;
  return entries.map((entry) => entry ?? { id: undefined, secret });
}
