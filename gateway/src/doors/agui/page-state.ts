import { isDeepStrictEqual } from 'node:util';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { AguiEvent } from './agui-event.ts';
import { invalidInput } from './invalid-input.ts';
import type { RunAgentInput } from './run-input.ts';

/** State by its keys, which may be names of properties that every object has. */
export type State = ReadonlyMap<string, unknown>;

/** Key of the page's context, as a text for `{agui_context?}` in instructions. */
const contextKey = 'agui_context';

/** State that other sessions share, or that is never stored. */
const shared = /^(?:app|user|temp):/;

const isOfPage = (key: string): boolean => key !== contextKey && !shared.test(key);

/** State that is a JSON object. */
export function readState(json: Uint8Array): State {
  return new Map(Object.entries(json.length === 0 ? {} : (parseExactly(Buffer.from(json).toString()) as object)));
}

/**
 * The changes with which a run begins: keys of the page's state with other values than the session's, and the page's context. Keys that the page does not have
 * stay. Throws InvalidRequest for state that is not the session's own.
 */
export function changesOf({ state, context }: RunAgentInput, now: State): Record<string, unknown> {
  if (typeof (state ?? {}) !== 'object' || Array.isArray(state)) throw invalidInput(['state'], 'a state is an object');
  const given = Object.entries(state ?? {}) as [string, unknown][];
  const foreign = given.find(([key]) => !isOfPage(key));
  if (foreign !== undefined) throw invalidInput(['state', foreign[0]], 'a page has only the state of its session');
  const text = (context ?? []).map(({ description, value }) => `${description}: ${value}`).join('\n') || null;
  const wanted = [...given, [contextKey, text] as const];
  return Object.fromEntries(wanted.filter(([key, value]) => !isSame(value, now.get(key) ?? null)));
}

/** JavaScript rounds integers beyond 2^53, so a page sends back another number than it got. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}

/** The state as the page knows it, while a run changes it. */
export class PageState {
  #told = new Map<string, unknown>();

  /** Tells the whole state; with `unlessKnown` only when the page does not know it. */
  *whole(state: State, unlessKnown = false): Generator<AguiEvent> {
    const own = new Map([...state].filter(([key, value]) => isOfPage(key) && value !== null));
    if (unlessKnown && isDeepStrictEqual(own, this.#told)) return;
    this.#told = own;
    yield { type: 'STATE_SNAPSHOT', snapshot: Object.fromEntries(own) };
  }

  /** Tells the changes of a stored event. */
  *changed(json: Uint8Array): Generator<AguiEvent> {
    const { actions } = parseExactly(Buffer.from(json).toString()) as { readonly actions?: { stateDelta?: object } };
    const delta = (Object.entries(actions?.stateDelta ?? {}) as [string, unknown][]).filter(
      ([key, value]) => isOfPage(key) && !isDeepStrictEqual(value, this.#told.get(key) ?? null),
    );
    for (const [key, value] of delta) {
      if (value === null) this.#told.delete(key);
      else this.#told.set(key, value);
    }
    if (delta.length > 0) yield { type: 'STATE_DELTA', delta: delta.map(([key, value]) => operation(key, value)) };
  }
}

/** An operation of JSON Patch. `add` also replaces. */
function operation(key: string, value: unknown): object {
  const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return value === null ? { op: 'remove', path } : { op: 'add', path, value };
}
