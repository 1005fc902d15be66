import { type AnswerBounds, AnswerGauge } from './answer-gauge.ts';
import type { AnswerRefused } from './answer-refused.ts';

/** The chunks of a body with the bounds of `createBoundedFetch`. Throws AnswerRefused. */
export async function* boundedChunks(
  body: AsyncIterable<Uint8Array>,
  bounds: AnswerBounds = {},
): AsyncGenerator<Uint8Array, void, void> {
  let refused: AnswerRefused | undefined;
  const gauge = new AnswerGauge(bounds, (reason) => {
    refused = reason;
  });
  try {
    for await (const chunk of body) {
      const turn = gauge.turn(chunk);
      if (turn !== undefined) await turn;
      gauge.take(chunk);
      if (refused !== undefined) throw refused;
      yield chunk;
    }
  } finally {
    gauge.end();
  }
}

/** Reads a whole body of at most `mostBytes`. Throws AnswerRefused. */
export async function readAnswer(
  body: AsyncIterable<Uint8Array> | null,
  bounds: Pick<AnswerBounds, 'mostBytes'> = {},
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body === null ? [] : boundedChunks(body, bounds)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
