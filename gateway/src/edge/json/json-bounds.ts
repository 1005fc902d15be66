import { JsonCounter, type JsonExcess, mostValues } from './json-counter.ts';

/** Size of a JSON text, counted without parsing it. */
export interface JsonSize {
  /** Counted by `JsonCounter`. */
  readonly values: number;
  /** Limit that the text passes; undefined: the text may be parsed. */
  readonly excess: JsonExcess | undefined;
}

/** Counts values and nesting of a whole JSON text, and stops at a limit. */
export function measureJson(bytes: Uint8Array, limit = mostValues): JsonSize {
  const counter = new JsonCounter(limit);
  const excess = counter.add(bytes);
  return { values: counter.values, excess };
}
