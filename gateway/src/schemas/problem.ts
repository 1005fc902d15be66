import { Type } from 'typebox';

const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
    msg: Type.String(),
    type: Type.String(),
    input: Type.Optional(Type.Unknown()),
    ctx: Type.Optional(Type.Object({})),
  },
  { title: 'ValidationError' },
);

export const HTTPValidationError = Type.Object(
  { detail: Type.Array(ValidationError) },
  { title: 'HTTPValidationError', description: 'The request is not valid; every fault is listed.' },
);

/** Every error that is not a 422. */
export const Problem = Type.Object(
  { detail: Type.String(), code: Type.Optional(Type.String({ description: 'Machine-readable reason.' })) },
  { title: 'Problem', description: 'Why the request was refused.' },
);

/** The errors that every route behind a token can answer. */
export const failures = { 401: Problem, 422: HTTPValidationError };
