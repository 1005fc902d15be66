import { MeshError } from './mesh-error.ts';

/** The one request of a server stream, which Connect hands over as an iterable. */
export async function singleInput<T>(input: AsyncIterable<T>): Promise<T> {
  for await (const message of input) return message;
  throw new MeshError('invalid_argument', 'request_missing', 'The call has no request message');
}
