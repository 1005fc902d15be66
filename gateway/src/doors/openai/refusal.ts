import { InvalidRequest } from '../../edge/errors/request-error.ts';

/** Place in a body, e.g. `['messages', 0, 'content']`. */
export type Place = readonly (string | number)[];

/** 400 that names a field of the body. */
export function refusal(place: Place, message: string): InvalidRequest {
  return new InvalidRequest([{ type: 'value_error', loc: ['body', ...place], msg: message, input: null }]);
}
