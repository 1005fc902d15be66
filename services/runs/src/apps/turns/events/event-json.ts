import type { Event, EventActions } from '@google/adk/core';
import {
  type ActionsJson,
  type ContentJson,
  completeActions,
  type EventJson,
  type JsonObject,
  type JsonValue,
  withoutTemporaryKeys,
} from '@agentmesh/proto/event';
import { withSummary } from './summaries.ts';
import { toStandardBase64, toUrlSafeBase64 } from './base64.ts';

/** Fields that every event of a run has. */
export interface RunFacts {
  readonly invocationId: string;
  /** Metadata for every event. Keys of the event itself have priority. */
  readonly customMetadata?: JsonObject | undefined;
  /** The path of an agent in the app; absent: its name is the path. */
  readonly pathOf?: ((author: string) => string) | undefined;
}

/** Free-form maps: their keys and nulls come from users, tools and models. */
const freeForm = new Set([
  'args',
  'response',
  'payload',
  'output',
  'customMetadata',
  'stateDelta',
  'artifactDelta',
  'agentState',
]);

/**
 * An ADK event in its public form: seconds, no null model fields, nulls of free-form maps kept, bytes in URL-safe base64,
 * no `temp:` state. Throws when it holds what JSON cannot.
 */
export function toPublicEvent(event: Event, run: RunFacts): EventJson {
  const { id, author, timestamp, content, actions, longRunningToolIds, nodeInfo, customMetadata } = event;
  const ownAuthor = author ?? '';
  const metadata = { ...run.customMetadata, ...customMetadata };
  return {
    id,
    author: ownAuthor,
    invocationId: run.invocationId,
    timestamp: timestamp / 1000,
    ...(content ? { content: prune(content) as ContentJson } : {}),
    ...pruneFields(event, apart),
    ...(hasCalls(event) ? { longRunningToolIds: longRunningToolIds ?? [] } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { customMetadata: metadata as JsonObject }),
    actions: publicActions(actions),
    nodeInfo: prune(nodeInfo) ?? { path: ownAuthor === '' ? '' : (run.pathOf?.(ownAuthor) ?? `${ownAuthor}@1`) },
  };
}

/** Fields of ADK that the public form has elsewhere, or does not have. */
const apart: ReadonlySet<string> = new Set([
  'id',
  'author',
  'invocationId',
  'timestamp',
  'content',
  'actions',
  'longRunningToolIds',
  'nodeInfo',
  'customMetadata',
  'stateKeysOfCalls',
]);

/** Returns whether an event has function calls. */
export function hasCalls(event: Event): boolean {
  return event.content?.parts?.some((part) => Boolean(part.functionCall)) ?? false;
}

function publicActions(actions: EventActions | undefined): ActionsJson {
  const complete = completeActions(prune(actions) as JsonObject | undefined);
  const stateDelta = withoutTemporaryKeys(complete.stateDelta);
  return stateDelta === complete.stateDelta ? complete : { ...complete, stateDelta };
}

/** Leaves out null fields; free-form maps stay as they are. */
function prune(value: unknown, key = ''): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return isBytes(key) ? toUrlSafeBase64(value) : value;
  if (typeof value !== 'object' || freeForm.has(key)) return value as JsonValue;
  if (value instanceof Uint8Array) return toUrlSafeBase64(Buffer.from(value).toString('base64'));
  if (Array.isArray(value)) return value.map((item) => prune(item) ?? null);
  return pruneFields(value, none, key);
}

const none: ReadonlySet<string> = new Set();

function pruneFields(value: object, leftOut: ReadonlySet<string>, key = ''): JsonObject {
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (leftOut.has(name)) continue;
    const field = (value as Record<string, unknown>)[name];
    const pruned = prune(field, key === 'inlineData' && name === 'data' ? 'inlineData.data' : name);
    if (pruned !== undefined) setField(kept, name, pruned);
  }
  return kept;
}

/** An assignment would call the setter of the key `__proto__`. */
function setField(object: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

function isBytes(key: string): boolean {
  return key === 'inlineData.data' || key === 'thoughtSignature';
}

/** Converts a stored event to ADK's form: milliseconds, standard base64. */
export function fromPublicEvent(json: Uint8Array): Event {
  const text = textOf(json);
  const event = JSON.parse(text) as EventJson;
  // Changed in place: a turn reads a whole window of events.
  event.timestamp *= 1000;
  event.actions = completeActions(event.actions as JsonObject);
  if (event.content !== undefined) event.content = fromPublicContent(event.content, text);
  return withSummary(event as unknown as Event);
}

/** Converts the user's message to ADK's form. */
export function parseMessage(json: Uint8Array): ContentJson {
  const text = textOf(json);
  return fromPublicContent(JSON.parse(text) as ContentJson, text);
}

function fromPublicContent(content: ContentJson, text: string): ContentJson {
  if (!text.includes('"inlineData"') && !text.includes('"thoughtSignature"')) return content;
  return toStandardBytes(content) as ContentJson;
}

function toStandardBytes(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return isBytes(key) ? toStandardBase64(value) : value;
  if (typeof value !== 'object' || value === null || freeForm.has(key)) return value;
  if (Array.isArray(value)) return value.map((item) => toStandardBytes(item));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      toStandardBytes(field, key === 'inlineData' && name === 'data' ? 'inlineData.data' : name),
    ]),
  );
}

/** UTF-8 bytes as text. Buffer decodes short texts several times faster than TextDecoder. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
