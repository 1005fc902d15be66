import type { StoredEntry } from './store/entries.ts';

const nothing = new Uint8Array(0);

/** An entry as the mesh sees it. */
export function toWireEntry(entry: StoredEntry) {
  const { id, sessionId, eventId, invocationId, author, timestamp, contentJson, customMetadataJson } = entry;
  return {
    id,
    sessionId,
    eventId,
    invocationId,
    author,
    timestamp,
    contentJson: bytesOf(contentJson),
    customMetadataJson: customMetadataJson === null ? nothing : bytesOf(customMetadataJson),
  };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}
