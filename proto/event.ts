/**
 * The public JSON of an event, as the specification's Event record shows it. It is made once, where the event is born, and
 * travels and rests as those bytes; this file is the one place that says what the typed fields beside the bytes are.
 */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** One message: `role` is `user` or `model`. */
export interface ContentJson {
  role?: string;
  parts?: JsonObject[];
  [key: string]: JsonValue | undefined;
}

/** What an event changes. The four maps are always present, empty where there is nothing. */
export interface ActionsJson {
  stateDelta: JsonObject;
  artifactDelta: JsonObject;
  requestedAuthConfigs: JsonObject;
  requestedToolConfirmations: JsonObject;
  [key: string]: JsonValue | undefined;
}

/** An event in its public form: camelCase, timestamp in Unix seconds, no null model fields. Unknown fields survive. */
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

/** Prints an event once and puts beside the bytes what services act on. */
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

/** The actions of an event, the four maps filled in. */
export function completeActions(actions: JsonObject | undefined): ActionsJson {
  return {
    ...actions,
    stateDelta: asMap(actions?.stateDelta),
    artifactDelta: asMap(actions?.artifactDelta),
    requestedAuthConfigs: asMap(actions?.requestedAuthConfigs),
    requestedToolConfirmations: asMap(actions?.requestedToolConfirmations),
  };
}

/** A delta without its `temp:` keys, which are never persisted; the same object when it has none. */
export function withoutTemporaryKeys(delta: JsonObject): JsonObject {
  const keys = Object.keys(delta);
  if (!keys.some(isTemporary)) return delta;
  return Object.fromEntries(keys.filter((key) => !isTemporary(key)).map((key) => [key, delta[key] as JsonValue]));
}

function isTemporary(key: string): boolean {
  return key.startsWith('temp:');
}

function asMap(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function encodeMap(map: JsonObject): Uint8Array {
  for (const _ in map) return encode(map);
  return nothing;
}

/** Through Buffer, which prints short texts several times faster than TextEncoder. */
function encode(value: object): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(value), 'utf8');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
