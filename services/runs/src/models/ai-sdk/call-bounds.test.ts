import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { Answer } from './answer.ts';
import type { Dialect } from './dialect.ts';

const dialect: Dialect = {
  finish: () => ({ finishReason: 'STOP' }),
  usage: () => ({}),
  readSignature: () => undefined,
} as never;
const end = {
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' } as LanguageModelV4FinishReason,
  usage: {} as LanguageModelV4Usage,
};

function answerOf(calls: number, input: string) {
  const answer = new Answer({ stream: true, dialect });
  for (let i = 0; i < calls; i += 1)
    answer.addCall({ type: 'tool-call', toolCallId: `c${i}`, toolName: 'lookup', input });
  answer.end(end);
  return answer.finish();
}

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const text = (length: number) => JSON.stringify({ a: 'x'.repeat(length - 8) });

test('an answer calls at most 128 tools', () => {
  expect(answerOf(128, '{}').content?.parts).toHaveLength(128);
  expect(() => answerOf(129, '{}')).toThrow(expect.objectContaining({ errorCode: 'MODEL_ANSWER_TOO_LARGE' }));
});

test('arguments have at most 1 MiB', () => {
  expect(answerOf(1, text(2 ** 20)).content?.parts).toHaveLength(1);
  expect(() => answerOf(1, text(2 ** 20 + 1))).toThrow(
    expect.objectContaining({ errorCode: 'MODEL_ANSWER_TOO_LARGE' }),
  );
});

test('arguments have at most 100 levels, and 50,000 do not overflow the stack', () => {
  expect(answerOf(1, nested(100)).content?.parts).toHaveLength(1);
  for (const levels of [101, 50_000]) {
    expect(() => answerOf(1, nested(levels))).toThrow(
      expect.objectContaining({ errorCode: 'MALFORMED_FUNCTION_CALL' }),
    );
  }
});
