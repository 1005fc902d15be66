import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakeGeminiError } from '../../../../../test/fakes/gemini/answer.ts';
import { type FakeGemini, startFakeGemini } from '../../../../../test/fakes/gemini/index.ts';
import { createAsker } from '../../../test/ask-model.ts';

const key = 'goog-secret';

let fake: FakeGemini;
let ask: ReturnType<typeof createAsker>;

beforeEach(async () => {
  fake = await startFakeGemini({ apiKey: key });
  ask = createAsker('gemini-3-flash-preview', { baseUrl: fake.baseUrl, apiKey: key });
});

afterEach(async () => fake[Symbol.asyncDispose]());

const failure = (code: number, status: string, message = 'no', details: object[] = []): FakeGeminiError => ({
  error: { code, message, status, details },
});
const retryIn = (retryDelay: string): object[] => [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];

describe('a failure ends as one clean error response:', () => {
  test.each([
    [400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
    [403, 'PERMISSION_DENIED', 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND', 'NOT_FOUND'],
  ])('HTTP %i without a retry', async (code, status, errorCode) => {
    fake.answer(failure(code, status, `bad ${key} thing`));
    expect(await ask()).toEqual([{ errorCode, errorMessage: 'bad [key] thing' }]);
    expect(fake.received).toBe(1);
  });

  test('a wrong key, which the vendor calls a bad request', async () => {
    const errorMessage = 'API key not valid. Please pass a valid API key.';
    expect(await ask({}, { apiKey: 'wrong' })).toEqual([{ errorCode: 'UNAUTHENTICATED', errorMessage }]);
  });

  test('a limit that is lifted too late', async () => {
    fake.answer(failure(429, 'RESOURCE_EXHAUSTED', 'spent', retryIn('34s')));
    expect(await ask()).toEqual([
      { errorCode: 'RESOURCE_EXHAUSTED', errorMessage: 'spent', customMetadata: { retry_after_seconds: 34 } },
    ]);
    expect(fake.received).toBe(1);
  });

  test('an error in mid-stream', async () => {
    fake.answer({ parts: [{ text: 'a' }], thenError: failure(503, 'UNAVAILABLE', `busy ${key}`).error });
    expect((await ask()).at(-1)).toEqual({ errorCode: 'UNAVAILABLE', errorMessage: 'busy [key]' });
    expect(fake.received).toBe(1);
  });

  const text = 'data: {"candidates":[{"content":{"parts":[{"text":"hi"}],"role":"model"},"index":0}]}\r\n\r\n';
  test.each([
    ['garbage in mid-stream', `${text}data: {garbage\r\n\r\n`, 'MODEL_RESPONSE_UNREADABLE'],
    ['a stream without its end', text, 'MODEL_STREAM_BROKEN'],
    ['a stream of nothing', '', 'MODEL_STREAM_BROKEN'],
  ])('%s', async (_what, body, errorCode) => {
    fake.answer({ contentType: 'text/event-stream', body });
    const responses = await ask();
    expect(responses.filter(({ partial }) => partial !== true)).toMatchObject([{ errorCode }]);
  });

  test('an HTML page in place of an answer or an error', async () => {
    const html = { contentType: 'text/html', body: '<html>innards</html>' };
    fake.answer(html, html, { ...html, status: 403 });
    for (const stream of [true, false]) {
      const responses = await ask({}, { stream });
      expect(responses.at(-1)?.errorCode).toMatch(/MODEL_(STREAM_BROKEN|RESPONSE_UNREADABLE)/);
      expect(JSON.stringify(responses)).not.toContain('innards');
    }
    const errorMessage = "The model's server answered HTTP 403.";
    expect(await ask()).toEqual([{ errorCode: 'PERMISSION_DENIED', errorMessage }]);
  });

  test('a connection that breaks, and a server that hangs, in mid-stream', async () => {
    const sse = { contentType: 'text/event-stream', body: text };
    fake.answer({ ...sse, after: 'break' }, { ...sse, after: 'hang' }, { ...sse, after: 'hang' });
    expect((await ask()).at(-1)).toMatchObject({ errorCode: 'MODEL_UNREACHABLE' });
    expect((await ask({}, { timeoutMs: 300 })).at(-1)).toMatchObject({ errorCode: 'DEADLINE_EXCEEDED' });
    const config = { httpOptions: { timeout: 300 } };
    expect((await ask({ config })).at(-1)).toMatchObject({ errorCode: 'DEADLINE_EXCEEDED' });
  });
});

test('a retry waits for the time that Google gives, and hides a temporary failure', async () => {
  const startedAt = performance.now();
  fake.answer(failure(429, 'RESOURCE_EXHAUSTED', 'spent', retryIn('0.7s')), failure(503, 'UNAVAILABLE', 'busy'));
  expect((await ask()).at(-1)?.content?.parts).toEqual([{ text: 'ok' }]);
  expect(fake.received).toBe(3);
  expect(performance.now() - startedAt).toBeGreaterThan(700);
});

test('an abort ends the call at any time without a response, and closes the connection', async () => {
  fake.answer('hang');
  const controller = new AbortController();
  const responses = ask({}, { signal: controller.signal });
  await expect.poll(() => fake.received).toBe(1);
  controller.abort();
  expect(await responses).toEqual([]);
  await expect.poll(() => fake.hanging).toBe(0);
});
