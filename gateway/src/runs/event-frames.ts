import type { JsonObject } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { Event } from '@agentmesh/proto/sessions/v1';
import { encodeJson } from '../edge/json/json-bytes.ts';

/**
 * Frames of one event. An event with content and saved artifacts becomes two frames with the same id, for clients that show them
 * apart: first without the artifacts, then without the content.
 */
export function eventFrames({ json, artifactDeltaJson }: Pick<Event, 'json' | 'artifactDeltaJson'>): Uint8Array[] {
  if (artifactDeltaJson.length === 0) return [json];
  const event = parseExactly(Buffer.from(json).toString()) as JsonObject & { content?: { parts?: unknown[] } };
  if ((event.content?.parts?.length ?? 0) === 0 || !hasArtifacts(event.actions)) return [json];
  const { content: _, ...withoutContent } = event;
  const actions = { ...(event.actions as JsonObject), artifactDelta: {} };
  return [encodeJson({ ...event, actions }), encodeJson(withoutContent)];
}

function hasArtifacts(actions: unknown): boolean {
  const delta = (actions as JsonObject | undefined)?.artifactDelta;
  return typeof delta === 'object' && delta !== null && Object.keys(delta).length > 0;
}

/** Last frame of a stream whose run failed. It is no event. */
export function failureFrame(type: string, message: string): Uint8Array {
  return encodeJson({
    error: `${type}: ${message}`,
    error_details: { error_type: type, error_message: message, timestamp: Date.now() / 1000 },
  });
}
