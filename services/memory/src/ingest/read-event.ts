import { uuidOf } from '@agentmesh/lib/idempotency';
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
    // The same event has the same entry, however often it is added.
    id: uuidOf(sessionId, eventId),
    sessionId,
    eventId,
    invocationId,
    author,
    timestamp,
    contentJson: JSON.stringify(content),
    customMetadataJson: customMetadata ? JSON.stringify(customMetadata) : null,
  };
}
