import { createHash } from 'node:crypto';

/** PostgreSQL cuts longer names. */
const CHANNEL_BYTES = 63;

/**
 * The NOTIFY channel of a subject: the subject itself, so that PostgreSQL notifies its listeners only and people can read it; a
 * hash when the subject is too long for a channel name.
 */
export function channelOf(subject: string): string {
  if (Buffer.byteLength(subject) <= CHANNEL_BYTES) return subject;
  return `agentmesh#${createHash('sha256').update(subject).digest('hex').slice(0, 48)}`;
}

/** The text of a notification. PostgreSQL drops equal ones within one transaction, so each begins with a number. */
export function encodeNotification(number: number, payload: Uint8Array): string {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return `${number.toString(36)}:${bytes.toString('base64')}`;
}

/** The payload of a notification's text. */
export function decodeNotification(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(text.indexOf(':') + 1), 'base64'));
}
