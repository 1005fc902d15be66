import { MeshError } from '@agentmesh/lib/rpc';
import { type Static, Type } from 'typebox';
import { HttpError } from '../edge/errors/request-error.ts';

/** Header of requests that are done once, however often they are sent. */
export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'A repeated request with the same key starts no second run and gets the answer of the first one, with the header `Idempotency-Replayed`; ' +
        '422 when its content is another one.',
    }),
  ),
});

/** Header of an answer to a repeated request. */
export const replayedHeader = 'idempotency-replayed';

/** The key for the runs service; empty for none. Keys of other services of the mesh have other prefixes. */
export function runKeyOf(headers: Static<typeof IdempotencyKey>): string {
  const key = headers['idempotency-key'];
  return key === undefined ? '' : `http:${key}`;
}

/** The error in its public form: 422 for a key that was used with other content. */
export function refuseReuse(error: unknown): never {
  const isReuse = error instanceof MeshError && error.reason === 'idempotency_key_reused';
  throw isReuse ? new HttpError(422, error.message) : error;
}
