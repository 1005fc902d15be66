import type { JsonObject } from '@agentmesh/proto/event';
import { isExactInteger, parseExactly } from '@agentmesh/proto/exact-json';
import { invalid } from './errors.ts';
import { textOf } from './json-bytes.ts';

export type StateScope = 'app' | 'user' | 'session';

/** One key of one scope: its JSON text, or null to delete it. */
export interface StateChange {
  scope: StateScope;
  /** Without the `app:` or `user:` prefix. */
  key: string;
  value: string | null;
}

/** State as clients see it: JSON texts by prefixed key. */
export type StateMap = Map<string, string>;

const maxKeyBytes = 1024;

/** Parses the JSON object of a delta; empty bytes are an empty object. */
export function parseDelta(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const value = parseExactly(textOf(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactInteger(value))
    throw invalid('A state delta is a JSON object.');
  return value as JsonObject;
}

/**
 * A delta with the names that the database stores: it has no half of a surrogate pair, and takes U+FFFD for it. Of names that are one then, the last value
 * counts.
 */
export function wellFormed(delta: JsonObject): JsonObject {
  for (const name in delta) {
    if (name.isWellFormed()) continue;
    return Object.fromEntries(Object.entries(delta).map(([key, value]) => [key.toWellFormed(), value]));
  }
  return delta;
}

/** Splits a delta into changes by scope. `temp:` keys are left out: they live only in the running invocation. */
export function toChanges(given: JsonObject): StateChange[] {
  const changes: StateChange[] = [];
  const delta = wellFormed(given);
  for (const name in delta) {
    if (name.startsWith('temp:')) continue;
    const value = delta[name] ?? null;
    const { scope, key } = splitKey(name);
    checkKey(key);
    changes.push({ scope, key, value: value === null ? null : JSON.stringify(value) });
  }
  return changes;
}

/** Whether a change is one of `app:` state, which all users of the app read. */
export function isOfApp({ scope }: StateChange): boolean {
  return scope === 'app';
}

/** Applies a delta to merged state, including `temp:` keys, which only the running invocation sees. */
export function applyDelta(state: StateMap, given: JsonObject): void {
  const delta = wellFormed(given);
  for (const name in delta) {
    const value = delta[name] ?? null;
    if (value === null) state.delete(name);
    else state.set(name, JSON.stringify(value));
  }
}

/** Prints merged state as a JSON object without parsing its values. */
export function printState(state: StateMap): string {
  return `{${printFields(state)}}`;
}

/** Like `printState`, without the braces. */
export function printFields(state: StateMap): string {
  const fields: string[] = [];
  for (const [key, value] of state) fields.push(`${JSON.stringify(key)}:${value}`);
  return fields.join(',');
}

function splitKey(name: string): { scope: StateScope; key: string } {
  if (name.startsWith('app:')) return { scope: 'app', key: name.slice(4) };
  if (name.startsWith('user:')) return { scope: 'user', key: name.slice(5) };
  return { scope: 'session', key: name };
}

function checkKey(key: string): void {
  if (key.includes('\0')) throw invalid('A state key must not contain a NUL character.');
  if (Buffer.byteLength(key) > maxKeyBytes) throw invalid(`A state key has at most ${maxKeyBytes} bytes.`);
}
