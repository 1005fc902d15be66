import { BadRequest } from '../edge/errors/request-error.ts';

/** Number of a key. Throws 400 for an id of another form. */
export function keyIdOf(id: string): bigint {
  const [, number] = /^apikey(\d{1,18})$/.exec(id) ?? [];
  if (number === undefined) throw new BadRequest('Invalid API key ID format');
  return BigInt(number);
}
