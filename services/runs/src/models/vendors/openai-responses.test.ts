import type { Content } from '@google/genai';
import { Type } from '@google/genai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeResponses, startFakeResponses } from '../../../../../test/fakes/openai-responses/index.ts';
import { createAsker, tools } from '../../../test/ask-model.ts';

const key = 'sk-secret';
const call = (id: string, args = '{"n":1}') => ({ call: { id, name: 'lookup', arguments: args } });

let fake: FakeResponses;
let ask: ReturnType<typeof createAsker>;

beforeEach(async () => {
  fake = await startFakeResponses({ apiKey: key });
  ask = createAsker('openai/gpt-5-mini', { baseUrl: fake.baseUrl, apiKey: key, openAiApi: 'responses' });
});

afterEach(async () => fake[Symbol.asyncDispose]());

const sent = (): Record<string, unknown> => fake.requests.at(-1)?.body ?? {};

test('an answer streams thoughts and text, then the whole with usage', async () => {
  fake.answer({ items: [{ reasoning: 'x', summary: ['h', 'm'] }, { text: ['Hel', 'lo'] }] });
  const responses = await ask();
  expect(responses.filter(({ partial }) => partial).map(({ content }) => content?.parts)).toEqual([
    [{ text: 'h', thought: true }],
    [{ text: 'm', thought: true }],
    [{ text: 'Hel' }],
    [{ text: 'lo' }],
  ]);
  expect(responses.at(-1)).toMatchObject({
    partial: false,
    finishReason: 'STOP',
    modelVersion: 'gpt-5-mini',
    usageMetadata: {
      promptTokenCount: 11,
      cachedContentTokenCount: 5,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 3,
      totalTokenCount: 18,
    },
  });
  expect(responses.at(-1)?.content?.parts?.at(-1)).toEqual({ text: 'Hello' });
});

test.each([true, false])('thoughts are sent back encrypted, calls with their ids; streamed: %s', async (stream) => {
  fake.answer({
    items: [{ reasoning: 'one', summary: ['a', 'b'] }, { reasoning: 'two' }, call('call_1'), call('call_2')],
  });
  const config = { tools, thinkingConfig: { includeThoughts: true } };
  const content = (await ask({ config }, { stream })).at(-1)?.content as Content;
  expect(content.parts?.slice(-2)).toEqual([
    { functionCall: { id: 'call_1', name: 'lookup', args: { n: 1 } } },
    { functionCall: { id: 'call_2', name: 'lookup', args: { n: 1 } } },
  ]);
  const answer = (id: string) => ({ functionResponse: { id, name: 'lookup', response: { r: 1 } } });
  const contents = [
    { role: 'user', parts: [{ text: 'go' }] },
    content,
    { role: 'user', parts: [answer('call_2'), answer('call_1')] },
  ];
  expect((await ask({ config, contents }, { stream })).at(-1)?.content?.parts).toEqual([{ text: 'ok' }]);
  expect(fake.requests[1]?.input).toMatchObject([
    { role: 'user' },
    { type: 'reasoning', id: 'rs_0', summary: [{ text: 'a' }, { text: 'b' }] },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', call_id: 'call_1' },
    { type: 'function_call', call_id: 'call_2' },
    { type: 'function_call_output', call_id: 'call_2' },
    { type: 'function_call_output', call_id: 'call_1' },
  ]);
});

test("a request has the settings under the vendor's names, and store: false", async () => {
  const responseSchema = { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } };
  const thinkingConfig = { thinkingBudget: 500, includeThoughts: true };
  await ask({
    config: {
      systemInstruction: 'Be kind.',
      maxOutputTokens: 99,
      temperature: 0.5,
      thinkingConfig,
      responseSchema,
      tools,
    },
  });
  expect(sent()).toMatchObject({
    input: [{ role: 'developer', content: 'Be kind.' }, { role: 'user' }],
    max_output_tokens: 99,
    reasoning: { effort: 'low', summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    text: { format: { type: 'json_schema', strict: false } },
    tools: [{ type: 'function', name: 'lookup' }],
  });
  expect(sent()).not.toHaveProperty('temperature');
});

describe('an answer that does not end normally has an error:', () => {
  test.each([
    [{ items: [{ text: 'Hel' }], incomplete: 'max_output_tokens' as const }, 'MAX_TOKENS'],
    [{ items: [{ text: 'Hel' }], incomplete: 'content_filter' as const }, 'SAFETY'],
    [{ items: [{ refusal: 'Hel' }] }, 'SAFETY'],
  ])('%j', async (answer, errorCode) => {
    fake.answer(answer);
    expect((await ask()).at(-1)).toMatchObject({ content: { parts: [{ text: 'Hel' }] }, errorCode });
  });

  test('an error in mid-stream, a wrong key, a bad request', async () => {
    fake.answer({ items: [{ text: 'a' }], thenError: { code: 'server_error', message: `down ${key}` } });
    expect((await ask()).at(-1)).toMatchObject({ errorCode: 'UNAVAILABLE', errorMessage: 'down [key]' });
    expect(await ask({}, { apiKey: 'sk-wrong' })).toMatchObject([{ errorCode: 'UNAUTHENTICATED' }]);
    fake.answer({ status: 400, error: { message: 'too long', code: 'context_length_exceeded' } });
    expect(await ask()).toEqual([{ errorCode: 'INVALID_ARGUMENT', errorMessage: 'too long' }]);
  });

  test('a stream without its end', async () => {
    fake.answer({ contentType: 'text/event-stream', body: '' });
    expect(await ask()).toMatchObject([{ errorCode: 'MODEL_STREAM_BROKEN' }]);
  });
});

test('a retry hides a busy server', async () => {
  fake.answer({ status: 503, error: { message: 'busy' } });
  expect((await ask()).at(-1)?.content?.parts).toEqual([{ text: 'ok' }]);
});

test('a server of your own needs no key', async () => {
  await using open = await startFakeResponses({ apiKey: 'none' });
  const asked = createAsker('openai/gpt-5-mini', { baseUrl: open.baseUrl, openAiApi: 'responses' });
  expect((await asked()).at(-1)?.content?.parts).toEqual([{ text: 'ok' }]);
});
