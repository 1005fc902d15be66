import { createHash, randomBytes } from 'node:crypto';

/** Secrets of one registration at Microsoft: a part of the notification address, and a text that notifications carry. */
export interface NotificationSecrets {
  readonly pathToken: string;
  readonly clientState: string;
}

/** Makes secrets of 256 random bits each. */
export function createNotificationSecrets(): NotificationSecrets {
  return { pathToken: randomBytes(32).toString('base64url'), clientState: randomBytes(32).toString('base64url') };
}

/** SHA-256 of a secret. Only this is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
