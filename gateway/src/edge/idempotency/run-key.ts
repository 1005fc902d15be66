import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Identity } from '../authentication/identity.ts';
import type { IdempotencyKey } from './idempotency-key.ts';

/** Hours after which another run may have the key. */
export const runKeyHours = 24;

interface KeyedRequest {
  readonly headers: Static<typeof IdempotencyKey>;
  readonly identity: Identity;
}

/** The key for the runs service; empty for none. Keys of other services of the mesh have other prefixes. */
export function runKeyOf(request: KeyedRequest): string {
  return prefixed('http', request);
}

/** The key of an answer to a run, for the runs service; empty for none. */
export function answerKeyOf(request: KeyedRequest): string {
  return prefixed('answer', request);
}

/** The key of a run that a door starts, for the runs service; empty for none. */
export function doorKeyOf(door: string, request: KeyedRequest): string {
  return prefixed(door, request);
}

/** A token that is bound to an end user has keys of its own, as in `keyedCall`: other users of the account may have chosen the same. */
function prefixed(prefix: string, { headers, identity }: KeyedRequest): string {
  const key = headers['idempotency-key'];
  if (key === undefined) return '';
  const user = identity.grant?.userId;
  if (user === undefined) return `${prefix}:${key}`;
  return `${prefix}@${createHash('sha256').update(user).digest('base64url')}:${key}`;
}
