import { createHash } from 'node:crypto';

/** PostgreSQL cuts longer names. */
const CHANNEL_BYTES = 63;

/**
 * The NOTIFY channel of a subject: the subject itself, so that the server leaves out who does not listen to it and people can
 * read it there; the hash of a subject that is too long for a name.
 */
export function channelOf(subject: string): string {
  if (Buffer.byteLength(subject) <= CHANNEL_BYTES) return subject;
  return `agentmesh#${createHash('sha256').update(subject).digest('hex').slice(0, 48)}`;
}

/** The text of a notification. PostgreSQL drops equal ones within one transaction, so each is told apart by a number. */
export function encodeNotification(number: number, payload: Uint8Array): string {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return `${number.toString(36)}:${bytes.toString('base64')}`;
}

/** The payload of a notification's text. */
export function decodeNotification(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(text.indexOf(':') + 1), 'base64'));
}
