import type { Entry } from '@agentmesh/proto/memory/v1';
import { joinBytes, separated } from '../edge/json/json-bytes.ts';

const emptyMap = Buffer.from('{}');
const opening = Buffer.from('{"memories":[');
const closing = Buffer.from(']}');

/** Public list of memories, joined from bytes that are JSON already. */
export function memoriesJson(entries: readonly Entry[]): Uint8Array {
  return joinBytes([opening, ...separated(entries.map(memoryJson)), closing]);
}

export function memoryJson(entry: Entry): Uint8Array {
  const { id, author, timestamp, sessionId, eventId, invocationId, contentJson, customMetadataJson } = entry;
  const rest = JSON.stringify({ author, timestamp: isoTime(timestamp), sessionId, eventId, invocationId });
  return joinBytes([
    Buffer.from(`{"id":${JSON.stringify(id)},"content":`),
    contentJson,
    Buffer.from(',"customMetadata":'),
    customMetadataJson.length === 0 ? emptyMap : customMetadataJson,
    Buffer.from(`,${rest.slice(1)}`),
  ]);
}

/** ISO 8601; undefined for a time outside of the range of Date. */
function isoTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
