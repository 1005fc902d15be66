import { MeshError } from './mesh-error.ts';

/** The one request of a server stream, which Connect hands over as an iterable. */
export async function singleInput<T>(input: AsyncIterable<T>): Promise<T> {
  const { done, value } = await input[Symbol.asyncIterator]().next();
  if (done) throw new MeshError('invalid_argument', 'request_missing', 'The call has no request message');
  return value;
}
