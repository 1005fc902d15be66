import { ConnectionError } from '../errors.ts';
import { LineSplitter } from './line-splitter.ts';

/** Lines of a stream of text, without their ends. Throws ConnectionError when the stream breaks. Leaving early ends the stream. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  const lines = new LineSplitter('\n');
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      yield* lines.take(decoder.decode(next.value, { stream: true }));
  } catch (error) {
    throw new ConnectionError('The connection was lost.', error);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
  if (lines.rest !== '') yield lines.rest;
}
