/**
 * The public JSON of an event, as in the Event record of the specification. It is created once, where the event is created, and
 * is sent and stored as these bytes. This file defines the typed fields beside the bytes.
 */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** One message: `role` is `user` or `model`. */
export interface ContentJson {
  role?: string;
  parts?: JsonObject[];
  [key: string]: JsonValue | undefined;
}

/** Effects of an event. The four maps are always present; a map without entries is empty. */
export interface ActionsJson {
  stateDelta: JsonObject;
  artifactDelta: JsonObject;
  requestedAuthConfigs: JsonObject;
  requestedToolConfirmations: JsonObject;
  [key: string]: JsonValue | undefined;
}

/** An event in its public form: camelCase, timestamp in Unix seconds, no null model fields. Unknown fields are kept. */
export interface EventJson {
  id: string;
  author: string;
  invocationId: string;
  timestamp: number;
  content?: ContentJson;
  partial?: boolean;
  actions: ActionsJson;
  [key: string]: JsonValue | ContentJson | ActionsJson | undefined;
}

/** The fields of the wire message `agentmesh.sessions.v1.Event`. */
export interface WireEvent {
  id: string;
  author: string;
  invocationId: string;
  timestamp: number;
  partial: boolean;
  stateDeltaJson: Uint8Array;
  artifactDeltaJson: Uint8Array;
  json: Uint8Array;
}

const nothing = new Uint8Array(0);

/** Converts an event to its wire message: the JSON bytes, and the fields that services act on. */
export function toWireEvent(event: EventJson): WireEvent {
  return {
    id: event.id,
    author: event.author,
    invocationId: event.invocationId,
    timestamp: event.timestamp,
    partial: event.partial === true,
    stateDeltaJson: encodeMap(event.actions.stateDelta),
    artifactDeltaJson: encodeMap(event.actions.artifactDelta),
    json: encode(event),
  };
}

/** The actions of an event with all four maps; the same object when it has them. */
export function completeActions(actions: JsonObject | undefined): ActionsJson {
  if (isComplete(actions)) return actions;
  return {
    ...actions,
    stateDelta: asMap(actions?.stateDelta),
    artifactDelta: asMap(actions?.artifactDelta),
    requestedAuthConfigs: asMap(actions?.requestedAuthConfigs),
    requestedToolConfirmations: asMap(actions?.requestedToolConfirmations),
  };
}

function isComplete(actions: JsonObject | undefined): actions is JsonObject & ActionsJson {
  if (!isMap(actions)) return false;
  const { stateDelta, artifactDelta, requestedAuthConfigs, requestedToolConfirmations } = actions;
  const hasDeltas = isMap(stateDelta) && isMap(artifactDelta);
  return hasDeltas && isMap(requestedAuthConfigs) && isMap(requestedToolConfirmations);
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A delta without its `temp:` keys, which are never stored; the same object when it has none. */
export function withoutTemporaryKeys(delta: JsonObject): JsonObject {
  const keys = Object.keys(delta);
  if (!keys.some(isTemporary)) return delta;
  return Object.fromEntries(keys.filter((key) => !isTemporary(key)).map((key) => [key, delta[key] as JsonValue]));
}

function isTemporary(key: string): boolean {
  return key.startsWith('temp:');
}

function asMap(value: JsonValue | undefined): JsonObject {
  return isMap(value) ? value : {};
}

function encodeMap(map: JsonObject): Uint8Array {
  for (const _ in map) return encode(map);
  return nothing;
}

/** Uses Buffer, which encodes short texts several times faster than TextEncoder. */
function encode(value: object): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(value), 'utf8');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
