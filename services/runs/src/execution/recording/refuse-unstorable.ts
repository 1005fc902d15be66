import type { Event } from '@google/adk/core';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { refuseKeys } from './refuse-keys.ts';

type State = Readonly<Record<string, unknown>>;

export interface RefusalOptions {
  readonly turn: Turn;
  /** The state of the session that the agents see. */
  readonly state: State;
}

const scopes = ['app:', 'user:', ''] as const;
type Scope = (typeof scopes)[number];
/** Longest name of a key without its prefix, as in the sessions service. */
const mostKeyBytes = 1024;

/**
 * Takes changes of the state out of an event that the sessions service would refuse for their name or size, and shows the error where they came from, so
 * that the run goes on. Returns the keys.
 */
export function refuseUnstorable(event: Event, { turn, state }: RefusalOptions): string[] {
  const delta = event.actions.stateDelta;
  const set = Object.keys(delta).filter((key) => isStored(key) && delta[key] !== null && delta[key] !== undefined);
  const unnamed = Object.keys(delta).filter((key) => isStored(key) && !isName(key));
  refuseKeys(
    event,
    unnamed,
    `A key of the state has at most ${mostKeyBytes} bytes, no NUL character and no half of a surrogate pair.`,
  );
  if (set.length === 0) return unnamed;
  const values = turn.stateMaxValueBytes || Infinity;
  const named = set.filter(isName);
  const large = named.filter((key) => bytesOf(key, delta[key]) > values);
  refuseKeys(event, large, `A key of the state with its value has more than ${values} bytes.`);
  const most = turn.stateMaxScopeBytes || Infinity;
  const kept = named.filter((key) => !large.includes(key));
  const over = scopes.flatMap((scope) => keysAbove(most, kept.filter(isOf(scope)), bytesOfScope(scope, state, delta)));
  refuseKeys(event, over, `The state would have more than ${most} bytes in one scope.`);
  return [...unnamed, ...large, ...over];
}

/** All keys of a scope that an event sets, if the scope would be too large with them. */
function keysAbove(most: number, keys: readonly string[], bytes: number): readonly string[] {
  return keys.length > 0 && bytes > most ? keys : [];
}

/** Bytes of a scope after the event. */
function bytesOfScope(scope: Scope, state: State, delta: State): number {
  const after = Object.entries({ ...state, ...delta }).filter(([key, value]) => isStored(key) && value !== null);
  return after.reduce((sum, [key, value]) => (isOf(scope)(key) ? sum + bytesOf(key, value) : sum), 0);
}

/** Whether the sessions service stores a key of this name. */
function isName(key: string): boolean {
  return !key.includes('\0') && key.isWellFormed() && Buffer.byteLength(withoutPrefix(key)) <= mostKeyBytes;
}

function withoutPrefix(key: string): string {
  return key.replace(/^(app|user):/, '');
}

function isStored(key: string): boolean {
  return !key.startsWith('temp:');
}

function isOf(scope: Scope): (key: string) => boolean {
  return (key) => (scope === '' ? !key.startsWith('app:') && !key.startsWith('user:') : key.startsWith(scope));
}

/** Counted like in the sessions service: without the prefix of the key. */
function bytesOf(key: string, value: unknown): number {
  return Buffer.byteLength(withoutPrefix(key)) + Buffer.byteLength(JSON.stringify(value) ?? '');
}
