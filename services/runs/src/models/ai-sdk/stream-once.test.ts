import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import type { Connection } from './connection.ts';
import { Speech } from './speech.ts';
import { streamOnce } from './stream-once.ts';

/** Whether the model has begun to answer, when its stream breaks behind this part. */
async function hasBegunWith(part: LanguageModelV4StreamPart): Promise<boolean> {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    part,
    { type: 'error', error: new Error('broken') },
  ];
  const doStream = () =>
    Promise.resolve({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const one of parts) controller.enqueue(one);
          controller.close();
        },
      }),
    });
  const languageModel = { doStream } as Partial<LanguageModelV4> as LanguageModelV4;
  const connection = { languageModel, dialect: {} } as Connection;
  const speech = new Speech(undefined);
  const watchdog = { signal: new AbortController().signal, feed: () => undefined } as never;
  const responses = streamOnce({ connection, call: { prompt: [] }, watchdog, stream: true, speech });
  await expect(Array.fromAsync(responses)).rejects.toThrow('broken');
  return speech.hasBegun;
}

test.each<LanguageModelV4StreamPart>([
  { type: 'tool-input-start', id: 'c', toolName: 'look' },
  { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
])('an answer that breaks off behind a part of the type $type has begun', async (part) => {
  expect(await hasBegunWith(part)).toBe(true);
});

test('an answer that breaks off before any output has not begun', async () => {
  expect(await hasBegunWith({ type: 'response-metadata', id: 'r' })).toBe(false);
});
