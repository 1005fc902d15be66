import { createHash } from 'node:crypto';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { StoredEvent } from '@agentmesh/proto/sessions/v1';

/** The parts of an event that become an entry. */
export interface Remembered {
  readonly id: string;
  readonly sessionId: string;
  readonly eventId: string;
  readonly invocationId: string;
  readonly author: string;
  readonly timestamp: number;
  readonly contentJson: string;
  readonly customMetadataJson: string | null;
}

interface EventBody {
  readonly content?: { readonly parts?: unknown } | null;
  readonly customMetadata?: object | null;
}

/** An event as an entry; undefined for one without content or parts. */
export function readEvent(sessionId: string, event: StoredEvent): Remembered | undefined {
  const { id: eventId, invocationId, author, timestamp, json } = event;
  const { content, customMetadata } = parseExactly(Buffer.from(json).toString('utf8')) as EventBody;
  if (!Array.isArray(content?.parts) || content.parts.length === 0) return undefined;
  return {
    id: entryId(sessionId, eventId),
    sessionId,
    eventId,
    invocationId,
    author,
    timestamp,
    contentJson: JSON.stringify(content),
    customMetadataJson: customMetadata ? JSON.stringify(customMetadata) : null,
  };
}

/** A UUID (version 8) made of both ids: the same event has the same entry, however often it is added. */
export function entryId(sessionId: string, eventId: string): string {
  const digest = createHash('sha256').update(`${sessionId}\0${eventId}`).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
