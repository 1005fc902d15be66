import type { LlmResponse } from '@google/adk/core';
import { type Content, Type } from '@google/genai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeOpenAi, startFakeOpenAi } from '../../../../../test/fakes/openai.ts';
import { createAsker } from '../../../test/ask-model.ts';
import type { ModelFailure } from '../model-failure.ts';
import { createModels } from '../models.ts';

const key = 'sk-secret-key';

let fake: FakeOpenAi;
let failures: ModelFailure[];
let ask: ReturnType<typeof createAsker>;

beforeEach(async () => {
  fake = await startFakeOpenAi({ apiKey: key });
  failures = [];
  ask = createAsker('openai/gpt-x', { baseUrl: fake.baseUrl, apiKey: key }, failures);
});

afterEach(async () => fake[Symbol.asyncDispose]());

async function askSse(frames: readonly string[], after: 'end' | 'break' | 'hang' = 'end'): Promise<LlmResponse[]> {
  fake.answer({ contentType: 'text/event-stream', body: frames.join(''), after });
  return ask({}, after === 'hang' ? { timeoutMs: 300 } : {});
}

function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
}

const done = 'data: [DONE]\n\n';
const textOf = (responses: readonly LlmResponse[]): string =>
  (responses.at(-1)?.content?.parts ?? []).map((part) => part.text ?? '').join('');

describe('an answer', () => {
  test('streams deltas, then the whole with usage and finish reason', async () => {
    fake.answer({ reasoning: 'hm', text: ['Hel', 'lo'] });
    const responses = await ask();
    expect(responses.map(({ partial, content }) => [partial, content?.parts])).toEqual([
      [true, [{ text: 'hm', thought: true }]],
      [true, [{ text: 'Hel' }]],
      [true, [{ text: 'lo' }]],
      [false, [{ text: 'hm', thought: true }, { text: 'Hello' }]],
    ]);
    expect(responses.at(-1)).toMatchObject({
      finishReason: 'STOP',
      modelVersion: 'gpt-x',
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    });
    expect(fake.requests[0]).toMatchObject({ model: 'gpt-x', stream: true, includeUsage: true });
  });

  test('comes as one response without streaming', async () => {
    fake.answer({ text: 'Hello' });
    const responses = await ask({}, { stream: false });
    expect(responses).toHaveLength(1);
    expect(responses[0]).not.toHaveProperty('partial');
    expect(textOf(responses)).toBe('Hello');
  });

  test.each([true, false])('brings tool calls in the whole response alone, ids kept; streamed: %s', async (stream) => {
    fake.answer({ text: 'wait', toolCalls: [{ id: 'call_9', name: 'lookup', arguments: '{"sku":"A"}' }] });
    const responses = await ask({}, { stream });
    expect(responses.at(-1)?.content?.parts).toEqual([
      { text: 'wait' },
      { functionCall: { id: 'call_9', name: 'lookup', args: { sku: 'A' } } },
    ]);
    const calls = responses.filter(({ content }) => content?.parts?.some((part) => part.functionCall));
    expect(calls).toHaveLength(1);
  });

  test('cut at the token limit keeps its text and says so', async () => {
    fake.answer({ text: 'Hel', finishReason: 'length' });
    expect((await ask()).at(-1)).toMatchObject({
      content: { parts: [{ text: 'Hel' }] },
      finishReason: 'MAX_TOKENS',
      errorCode: 'MAX_TOKENS',
    });
  });

  test('without any content is an event of its own, not an error', async () => {
    fake.answer({});
    expect((await ask()).at(-1)).toMatchObject({ finishReason: 'STOP', usageMetadata: { promptTokenCount: 11 } });
  });
});

describe('a request', () => {
  test("has settings and schema under the vendor's names", async () => {
    const responseSchema = { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } };
    await ask({
      config: { systemInstruction: 'Be kind.', maxOutputTokens: 99, stopSequences: ['END'], responseSchema },
    });
    expect(fake.requests[0]?.body).toMatchObject({
      messages: [{ role: 'system', content: 'Be kind.' }, { role: 'user' }],
      max_tokens: 99,
      stop: ['END'],
      response_format: { type: 'json_schema', json_schema: { strict: false, schema: { type: 'object' } } },
    });
  });

  test('answers every call before anything else is said, ids or none', async () => {
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { text: 'musing', thought: true },
          { functionCall: { name: 'lookup', args: { n: 1 } } },
          { functionCall: { name: 'lookup', args: { n: 2 } } },
          { functionCall: { id: 'v1', name: 'ask' } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'lookup', response: { r: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'lookup', response: { r: 2 } } }, { text: 'and?' }] },
    ];
    await ask({ contents });
    expect(fake.requests[0]?.messages).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }, { id: 'call_2' }, { id: 'v1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: '{"r":1}' },
      { role: 'tool', tool_call_id: 'call_2', content: '{"r":2}' },
      { role: 'tool', tool_call_id: 'v1', content: '{"status":"pending"}' },
      { role: 'user', content: 'and?' },
    ]);
  });

  test('with a file that cannot be sent is refused, naming the kind', async () => {
    const parts = [{ inlineData: { mimeType: 'application/zip', data: 'AA==' } }];
    const [response] = await ask({ contents: [{ role: 'user', parts }] });
    expect(response?.errorCode).toBe('INVALID_ARGUMENT');
    expect(response?.errorMessage).toContain('application/zip');
  });
});

describe('a quirk of a compatible server is tolerated:', () => {
  const ended = chunk({}, 'stop');
  const call = { function: { name: 'lookup', arguments: '{"a":1}' } };
  const quirks: [string, string[]][] = [
    ['no [DONE]', [chunk({ content: 'hi' }), ended]],
    ['keep-alive comments', [': keep-alive\n\n', chunk({ content: 'hi' }), ': keep-alive\n\n', ended, done]],
    ['content null', [chunk({ role: 'assistant', content: null }), chunk({ content: 'hi' }), ended, done]],
    ['usage on every chunk', [chunk({ content: 'hi' }, null, { usage: { prompt_tokens: 1 } }), ended, done]],
    ['data without a space', [chunk({ content: 'hi' }).replace('data: ', 'data:'), ended, done]],
    ['its own finish reason', [chunk({ content: 'hi' }), chunk({}, 'eos'), done]],
    ['finish reason on the last delta', [chunk({ content: 'hi' }, 'stop'), done]],
  ];
  test.each(quirks)('%s', async (_what, frames) => {
    const responses = await askSse(frames);
    expect(textOf(responses)).toBe('hi');
    expect(responses.at(-1)).toMatchObject({ partial: false, finishReason: 'STOP' });
  });

  test.each([
    ['a tool call in one chunk', { tool_calls: [{ index: 0, id: 'c1', type: 'function', ...call }] }, 'tool_calls'],
    ['finish reason stop with tool calls', { tool_calls: [{ index: 0, id: 'c1', ...call }] }, 'stop'],
    ['a tool call without index and id', { tool_calls: [call] }, 'tool_calls'],
  ])('%s', async (_what, delta, finish) => {
    const responses = await askSse([chunk(delta), chunk({}, finish), done]);
    const functionCall = responses.at(-1)?.content?.parts?.[0]?.functionCall;
    expect(functionCall).toMatchObject({ name: 'lookup', args: { a: 1 } });
    expect(functionCall?.id).toBeTruthy();
  });
});

describe('a failure ends as one clean error response:', () => {
  test.each([
    [401, 'UNAUTHENTICATED'],
    [400, 'INVALID_ARGUMENT'],
    [404, 'NOT_FOUND'],
  ])('HTTP %i without a retry', async (status, errorCode) => {
    fake.answer({ status, error: { message: `bad ${key} thing` } });
    expect(await ask()).toEqual([{ errorCode, errorMessage: 'bad [key] thing' }]);
    expect(fake.received).toBe(1);
    expect(failures).toMatchObject([{ model: 'openai/gpt-x', errorCode }]);
  });

  test('a wrong key, which is not told', async () => {
    const [response] = await ask({}, { apiKey: 'sk-wrong-key' });
    expect(response?.errorCode).toBe('UNAUTHENTICATED');
    expect(response?.errorMessage).not.toContain('sk-wrong-key');
  });

  test('a spent quota without a retry', async () => {
    fake.answer({ status: 429, error: { message: 'pay', code: 'insufficient_quota' } });
    expect(await ask()).toEqual([{ errorCode: 'RESOURCE_EXHAUSTED', errorMessage: 'pay' }]);
    expect(fake.received).toBe(1);
  });

  test('an HTML page in place of an error or an answer', async () => {
    const html = { contentType: 'text/html', body: '<html>secret innards</html>' };
    fake.answer({ ...html, status: 403 });
    expect(await ask()).toEqual([
      { errorCode: 'PERMISSION_DENIED', errorMessage: "The model's server answered HTTP 403." },
    ]);
    for (const stream of [true, false]) {
      fake.answer(html);
      const responses = await ask({}, { stream });
      expect(responses.at(-1)?.errorCode).toMatch(/MODEL_(STREAM_BROKEN|RESPONSE_UNREADABLE)/);
      expect(JSON.stringify(responses)).not.toContain('innards');
    }
  });

  const text = chunk({ content: 'hi' });
  const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'lookup', arguments: '{"a":' } }] });
  const broken: [string, string[], string][] = [
    ['an error in mid-stream', [text, 'data: {"error":{"message":"overloaded"}}\n\n'], 'MODEL_ERROR'],
    ['garbage in mid-stream', [text, 'data: {garbage\n\n', done], 'MODEL_RESPONSE_UNREADABLE'],
    ['a stream without its end', [text], 'MODEL_STREAM_BROKEN'],
    ['a stream that is only [DONE]', [done], 'MODEL_STREAM_BROKEN'],
    ['arguments that are no JSON', [call, chunk({}, 'tool_calls'), done], 'MALFORMED_FUNCTION_CALL'],
  ];
  test.each(broken)('%s', async (_what, frames, errorCode) => {
    const responses = await askSse(frames);
    expect(responses.filter((response) => response.partial !== true)).toMatchObject([{ errorCode }]);
    expect(responses.at(-1)?.errorMessage).toBeTruthy();
    expect(fake.received).toBe(1);
  });

  test('a connection that breaks in mid-stream', async () => {
    const responses = await askSse([text], 'break');
    expect(responses.at(-1)).toMatchObject({ errorCode: 'MODEL_UNREACHABLE' });
    expect(fake.received).toBe(1);
  });

  test('a server that hangs, before the first byte and in mid-stream', async () => {
    fake.answer('hang');
    const silent = { errorCode: 'DEADLINE_EXCEEDED', errorMessage: 'The model was silent for 0.3 s.' };
    expect(await ask({}, { timeoutMs: 300 })).toEqual([silent]);
    expect((await askSse([text], 'hang')).at(-1)).toEqual(silent);
  });

  test.each([0, -1, Number.NaN])('a time-out of %s that code sets is none', async (timeout) => {
    expect(textOf(await ask({ config: { httpOptions: { timeout } } }))).toBe('ok');
  });
});

describe('a retry', () => {
  test('hides a stream that breaks before its first word', async () => {
    fake.answer({ contentType: 'text/event-stream', body: ': hello\n\n', after: 'break' }, { text: 'Hello' });
    expect(textOf(await ask())).toBe('Hello');
  });

  test.each([
    ['a busy server', { status: 503, error: { message: 'busy' } }],
    ['a limit', { status: 429, error: { message: 'slow' }, headers: { 'retry-after-ms': '5' } }],
    ['a broken connection', 'break'],
  ] as const)('hides %s', async (_what, failure) => {
    fake.answer(failure, { text: 'Hello' });
    expect(textOf(await ask())).toBe('Hello');
    expect(fake.received).toBe(2);
  });

  test('waits no longer than the caller', async () => {
    fake.answer({ status: 429, error: { message: 'slow' }, headers: { 'retry-after': '9' } });
    const controller = new AbortController();
    const responses = ask({}, { signal: controller.signal });
    await expect.poll(() => fake.received).toBe(1);
    controller.abort();
    expect(await responses).toEqual([]);
  });
});

test('a caller who leaves early closes the connection', async () => {
  fake.answer({ contentType: 'text/event-stream', body: chunk({ content: 'hi' }), after: 'hang' });
  const openai = { baseUrl: fake.baseUrl, apiKey: key };
  const models = createModels({ openai, anthropic: openai, gemini: openai, timeoutMs: 60_000 });
  const model = models.resolve('openai/x');
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'hello' }] }];
  for await (const response of model.generateContentAsync({ contents, toolsDict: {}, liveConnectConfig: {} }, true)) {
    expect(response.partial).toBe(true);
    break;
  }
  await expect.poll(() => fake.hanging).toBe(0);
});

test('an abort ends the call at any time without a response', async () => {
  fake.answer('hang');
  const controller = new AbortController();
  const responses = ask({}, { signal: controller.signal });
  await expect.poll(() => fake.received).toBe(1);
  controller.abort();
  expect(await responses).toEqual([]);
  expect(failures).toEqual([]);
});

test('a refusal is passed on and counts as an error', async () => {
  const frames = [chunk({ refusal: 'I will ' }), chunk({ refusal: 'not.' }), chunk({}, 'stop'), done];
  const responses = await askSse(frames);
  expect(textOf(responses)).toBe('I will not.');
  expect(responses.at(-1)).toMatchObject({ finishReason: 'SAFETY', errorCode: 'SAFETY' });
});
