import { ConnectionError } from '../errors.ts';

/** Lines of a stream of text, without their ends. Throws ConnectionError when the stream breaks. Leaving early ends the stream. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new ConnectionError('The connection was lost.', error);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
  if (rest !== '') yield rest;
}
