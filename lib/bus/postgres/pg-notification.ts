import { createHash } from 'node:crypto';
import type { Origin } from '../driver/index.ts';

/** PostgreSQL cuts longer names. */
const CHANNEL_BYTES = 63;
/** PostgreSQL refuses a NOTIFY of 8,000 bytes; base64 turns 5,000 into 6,668, which leaves room for the rest. */
const PART_BYTES = 5_000;

/**
 * The NOTIFY channel of a subject: the subject itself, so that PostgreSQL notifies its listeners only and people can read it; a
 * hash when the subject is too long for a channel name.
 */
export function channelOf(subject: string): string {
  if (Buffer.byteLength(subject) <= CHANNEL_BYTES) return subject;
  return `agentmesh#${createHash('sha256').update(subject).digest('hex').slice(0, 48)}`;
}

export interface Notified {
  readonly payload: Uint8Array;
  readonly origin: Origin;
}

/**
 * The texts of the notifications that carry a payload, one for each 5,000 bytes: `key part parts sender traceparent base64`. PostgreSQL drops equal
 * ones within one transaction, so `key` must be another one for each payload.
 */
export function encodeNotification(key: string, payload: Uint8Array, { sender, traceparent }: Origin): string[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  const text = (part: number): string => {
    const piece = bytes.toString('base64', part * PART_BYTES, (part + 1) * PART_BYTES);
    return `${key} ${part} ${parts} ${sender} ${traceparent ?? '-'} ${piece}`;
  };
  return parts === 1 ? [text(0)] : Array.from({ length: parts }, (_, part) => text(part));
}

/** Most bytes of a notification, which PostgreSQL would refuse from 8,000 on. */
const NOTIFICATION_BYTES = 7_900;

/** The notifications of payloads, in order. Small ones of one channel that follow each other share one: each costs the server and every listener more than its bytes. */
export function joinNotifications(payloads: Iterable<{ readonly channel: string; readonly texts: readonly string[] }>) {
  const joined: { channel: string; text: string }[] = [];
  for (const { channel, texts } of payloads) {
    for (const text of texts) {
      const last = joined.at(-1);
      const fits = last?.channel === channel && last.text.length + text.length < NOTIFICATION_BYTES;
      if (fits) last.text += `\n${text}`;
      else joined.push({ channel, text });
    }
  }
  return joined;
}

/** Puts the parts of payloads together again. The parts of one arrive in order and without others between, because one statement sends them. */
export class NotificationReader {
  #key = '';
  #pieces: Buffer[] = [];

  /** The payloads that end in a notification. A payload whose beginning was missed is dropped, as every hint that is missed. */
  read(notification: string): Notified[] {
    return notification.split('\n').flatMap((text) => this.#read(text) ?? []);
  }

  #read(text: string): Notified | undefined {
    const [key = '', part, parts, sender = '', traceparent, piece = ''] = text.split(' ');
    if (part === '0') {
      this.#key = key;
      this.#pieces = [];
    }
    if (key !== this.#key || this.#pieces.length !== Number(part)) return undefined;
    const bytes = Buffer.from(piece, 'base64');
    const origin = { sender, traceparent: traceparent === '-' ? undefined : traceparent };
    if (parts === '1') return { payload: new Uint8Array(bytes), origin };
    this.#pieces.push(bytes);
    if (this.#pieces.length < Number(parts)) return undefined;
    const payload = new Uint8Array(Buffer.concat(this.#pieces));
    this.#pieces = [];
    return { payload, origin };
  }
}
