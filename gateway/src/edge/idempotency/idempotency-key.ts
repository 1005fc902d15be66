import { Type } from 'typebox';

const key = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'A repeated request with the same key, within 24 hours, has no second effect and gets the answer of the first one, with the header ' +
      '`Idempotency-Replayed`; 422 when its content is another one. Choose keys that nobody can guess, such as UUIDs.',
  }),
);

/** Header of requests that are done once, however often they are sent. */
export const IdempotencyKey = Type.Object({ 'idempotency-key': key });

/** Header of an answer to a repeated request. */
export const replayedHeader = 'idempotency-replayed';
