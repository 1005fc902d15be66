import { InvalidRequest } from '../../edge/errors/request-error.ts';

/** 422 for a place of the body that cannot be served. */
export function invalidInput(place: readonly (string | number)[], error: string): InvalidRequest {
  const issue = { type: 'value_error', loc: ['body', ...place], msg: `Value error, ${error}`, ctx: { error } };
  return new InvalidRequest([issue]);
}
