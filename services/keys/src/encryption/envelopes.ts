import { randomBytes } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';
import type { KeyWrapper } from './key-wrapper.ts';

/** The column of a row that holds an envelope. An envelope opens only in the place that it was made for. */
export interface Place {
  readonly table: string;
  readonly row: string;
  /** Id of the account. */
  readonly owner: string;
  readonly column: string;
}

/** Encrypts texts for storage. */
export interface Envelopes {
  /** Encrypts with a new data key, under the current wrapping key. Rejects when the key wrapper fails. */
  seal(plain: string, place: Place): Promise<string>;
  /**
   * Returns the text; undefined when it cannot be opened: its wrapping key is lost, or it was changed or moved. The text then has to be
   * entered again. Rejects when the key wrapper fails, and never because of the envelope.
   */
  open(envelope: string, place: Place): Promise<string | undefined>;
  /** Prefix of every envelope under the current wrapping key; no other envelope has it. */
  readonly currentPrefix: string;
}

const version = 'v1';
const dataKeyBytes = 32;

/**
 * Envelope encryption. The text form is `v1.<key id>.<wrapped data key>.<iv, ciphertext, tag>`, the last two in base64url. Both layers
 * are AES-256-GCM and authenticate the place.
 */
export function createEnvelopes(wrapper: KeyWrapper): Envelopes {
  const currentPrefix = `${version}.${wrapper.currentId}.`;
  return {
    async seal(plain, place) {
      const dataKey = randomBytes(dataKeyBytes);
      try {
        const sealed = encrypt(dataKey, Buffer.from(plain), bindingOf('text', place));
        const { keyId, bytes } = await wrapper.wrap(dataKey, bindingOf('data key', place));
        return [version, keyId, bytes.toString('base64url'), sealed.toString('base64url')].join('.');
      } finally {
        dataKey.fill(0);
      }
    },
    async open(envelope, place) {
      const parts = readEnvelope(envelope);
      if (parts === undefined) return undefined;
      const dataKey = await wrapper.unwrap(parts, bindingOf('data key', place));
      if (dataKey?.length !== dataKeyBytes) return undefined;
      const plain = decrypt(dataKey, parts.sealed, bindingOf('text', place));
      dataKey.fill(0);
      return plain?.toString();
    },
    currentPrefix,
  };
}

/** JSON keeps the parts apart: no two places have the same bytes. */
function bindingOf(layer: 'text' | 'data key', { table, row, owner, column }: Place): Buffer {
  return Buffer.from(JSON.stringify(['agentmesh keys', version, layer, table, row, owner, column]));
}

function readEnvelope(envelope: string) {
  const [kind, keyId = '', wrapped = '', text = '', ...rest] = envelope.split('.');
  const [bytes, sealed] = [readBase64Url(wrapped), readBase64Url(text)];
  if (kind !== version || rest.length > 0 || bytes === undefined || sealed === undefined) return undefined;
  return { keyId, bytes, sealed };
}

/** Undefined for another spelling than the one that `seal` writes. */
function readBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
