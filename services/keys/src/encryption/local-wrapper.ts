import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';
import type { KeyWrapper } from './key-wrapper.ts';

/** The root secrets that wrapping keys are derived from. */
export interface RootKeys {
  /** `ENCRYPT_KEY`. */
  readonly current: string;
  /** The text of `ENCRYPT_KEY_PREVIOUS`: former keys, comma-separated. They decrypt and never encrypt. */
  readonly previous: string;
}

interface WrappingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Wraps data keys with keys that are derived from the root secrets for one purpose, by HKDF-SHA256. */
export function createLocalWrapper(roots: RootKeys, purpose: string): KeyWrapper {
  const current = derive(roots.current, purpose);
  const known = new Map(formerTexts(roots.previous).map((text) => [derive(text, purpose).id, derive(text, purpose)]));
  known.set(current.id, current);
  return {
    currentId: current.id,
    wrap: async (dataKey, binding) => ({ keyId: current.id, bytes: encrypt(current.key, dataKey, binding) }),
    unwrap: async ({ keyId, bytes }, binding) => {
      const wrapping = known.get(keyId);
      return wrapping === undefined ? undefined : decrypt(wrapping.key, bytes, binding);
    },
  };
}

/** A key of 32 bytes for another purpose than wrapping, e.g. a MAC. It reveals nothing about the root or about other keys. */
export function deriveKey({ current }: RootKeys, purpose: string): Buffer {
  return derive(current, purpose).key;
}

/** The id is derived as well, so that it reveals nothing about the key. */
function derive(root: string, purpose: string): WrappingKey {
  const bytes = (label: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', root, '', `agentmesh keys ${label} ${purpose}`, length));
  return { id: bytes('key id', 6).toString('base64url'), key: bytes('encryption', 32) };
}

/** A former key may itself contain commas or begin with a blank, so the whole text and the untrimmed parts are tried as well. */
function formerTexts(previous: string): string[] {
  const parts = previous.split(',');
  return [...new Set([previous, ...parts, ...parts.map((part) => part.trim())])].filter((text) => text.trim() !== '');
}
