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

/** Our own fault, a service that is away, and one that is too slow. */
export const faults = { 500: Problem, 503: Problem, 504: Problem };

/** The errors that every route with fields behind a token can answer. */
export const failures = { 401: Problem, 422: HTTPValidationError, ...faults };

/** The errors of routes that read a body: it is not UTF-8 or refused for what it says, or it is too large. */
export const bodyFailures = { 400: Problem, 413: Problem };
