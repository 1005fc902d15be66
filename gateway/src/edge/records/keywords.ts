import { Type, type Static, type TSchema } from 'typebox';
import { noNul } from '../validation/index.ts';

/** A field that may be absent or null. */
export function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** Text for a column of PostgreSQL: no NUL. */
export const storedText = () => Type.String({ pattern: noNul });

/** Id of an application, a user or a session: no NUL, at most 512 bytes. */
export const storedId = (options: object = {}) =>
  Type.String({ pattern: noNul, maxLength: 512, 'x-in-bytes': true, ...options });

/** Base64 in either alphabet; answered URL-safe with padding. */
export const bytes = () => Type.String({ format: 'byte' });

/** A free-form object. Its values are kept unchanged. */
export const freeForm = (options: object = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });

/** A free-form object whose keys are stored as separate rows. */
export const keyedMap = <T extends TSchema>(values: T, keys: object = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: values,
    propertyNames: { pattern: noNul, ...keys },
  });

/** State, or a change of it: each key is stored separately. */
export const stateMap = () => keyedMap(Type.Unknown(), { maxLength: 1024, 'x-in-bytes': true });

/** One of `members` in any case. Unknown values are accepted, since the vendor may add some. */
export const openEnum = (members: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: members, 'x-open-enum': true });

/** Refuses unknown keys. */
export const strict = { additionalProperties: false } as const;

/** Keeps unknown keys. */
export const keeping = { additionalProperties: true } as const;
