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
  {
    detail: Type.Array(ValidationError),
    code: Type.Optional(
      Type.String({
        description: 'Machine-readable reason: of the service that found the fault, else `request_invalid`.',
      }),
    ),
  },
  { title: 'HTTPValidationError', description: 'The request is not valid; every fault is listed.' },
);

/** Body of every error except 422. */
export const Problem = Type.Object(
  { detail: Type.String(), code: Type.Optional(Type.String({ description: 'Machine-readable reason.' })) },
  { title: 'Problem', description: 'Why the request was refused.' },
);

/** Headers or an address that are too large, an internal error, a service that is unavailable, and a service that is too slow. */
export const faults = { 431: Problem, 500: Problem, 503: Problem, 504: Problem };

/** Refusals of every route that checks credentials: they are not valid, or their account sends too much or has too much. */
export const accountRefusals = { 401: Problem, 429: Problem };

/** Errors of every route with fields and authentication. */
export const failures = { ...accountRefusals, 422: HTTPValidationError, ...faults };

/** Additional errors of routes with a body: invalid encoding or content, and size. */
export const bodyFailures = { 400: Problem, 413: Problem };
