import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/** Encrypts messages that only replicas of one service read, so that others who can use the bus neither learn nor forge what they say. */
export interface Seal {
  /** Returns `payload` encrypted for its subject, 28 bytes longer. */
  close(subject: string, payload: Uint8Array): Uint8Array;
  /** Returns the payload that `close` was given. Undefined when it was closed with another key or for another subject, or not at all. */
  open(subject: string, sealed: Uint8Array): Uint8Array | undefined;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The seal of the replicas that hold this private key of their service. */
export function createSeal(privateKey: KeyObject): Seal {
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'agentmesh bus seal', 32));
  return {
    close(subject, payload) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(subject));
      const text = Buffer.concat([sealing.update(payload), sealing.final()]);
      return Buffer.concat([nonce, sealing.getAuthTag(), text]);
    },
    open(subject, sealed) {
      if (sealed.length < nonceBytes + tagBytes) return undefined;
      const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
      opening.setAAD(Buffer.from(subject)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
