import { Type, type Static, type TSchema } from 'typebox';
import { noNul } from '../validation/index.ts';

/** A field that may be absent or null. */
export function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** Text that the service keeps in a text column. */
export const storedText = () => Type.String({ pattern: noNul });

/** An id that the service keeps: of an application, a user or a session. */
export const storedId = (options: object = {}) =>
  Type.String({ pattern: noNul, maxLength: 512, 'x-in-bytes': true, ...options });

/** Base64 of either alphabet on input, URL-safe with padding on output. */
export const bytes = () => Type.String({ format: 'byte' });

/** A free-form object; its values are kept as they are. */
export const freeForm = () => Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** A free-form object whose keys become rows of their own. */
export const keyedMap = <T extends TSchema>(values: T, keys: object = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: values,
    propertyNames: { pattern: noNul, ...keys },
  });

/** State and its deltas: every key is stored by itself. */
export const stateMap = () => keyedMap(Type.Unknown(), { maxLength: 1024, 'x-in-bytes': true });

/** One of `members` in whatever case; values that the vendor adds later are accepted too. */
export const openEnum = (members: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: members, 'x-open-enum': true });

/** Refuses unknown keys. */
export const strict = { additionalProperties: false } as const;

/** Keeps unknown keys. */
export const keeping = { additionalProperties: true } as const;
