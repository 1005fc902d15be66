import { MeshError } from '@agentmesh/lib/rpc';
import type { Static } from 'typebox';
import { HttpError } from '../edge/errors/request-error.ts';
import type { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';

/** Hours after which another run may have the key. */
export const runKeyHours = 24;

/** The key for the runs service; empty for none. Keys of other services of the mesh have other prefixes. */
export function runKeyOf(headers: Static<typeof IdempotencyKey>): string {
  const key = headers['idempotency-key'];
  return key === undefined ? '' : `http:${key}`;
}

/** The key of an answer to a run, for the runs service; empty for none. */
export function answerKeyOf(headers: Static<typeof IdempotencyKey>): string {
  const key = headers['idempotency-key'];
  return key === undefined ? '' : `answer:${key}`;
}

/** The error in its public form: 422 for a key that was used with other content. */
export function refuseReuse(error: unknown): never {
  const isReuse = error instanceof MeshError && error.reason === 'idempotency_key_reused';
  throw isReuse ? new HttpError(422, error.message) : error;
}
