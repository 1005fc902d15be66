import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakeBlock, FakeMessageError } from '../../../../../test/fakes/anthropic/answer.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../../../../test/fakes/anthropic/index.ts';
import { createAsker } from '../../../test/ask-model.ts';
import type { ModelFailure } from '../model-failure.ts';

const key = 'sk-ant-secret';
const call = (id: string, input: object | string = { n: 1 }): FakeBlock => ({ call: { id, name: 'lookup', input } });

let fake: FakeAnthropic;
let failures: ModelFailure[];
let ask: ReturnType<typeof createAsker>;

beforeEach(async () => {
  fake = await startFakeAnthropic({ apiKey: key });
  failures = [];
  ask = createAsker('anthropic/claude-sonnet-4-5', { baseUrl: fake.baseUrl, apiKey: key }, failures);
});

afterEach(async () => fake[Symbol.asyncDispose]());

describe('a failure ends as one clean error response:', () => {
  const error = (status: number, type: string, message = 'no'): FakeMessageError => ({
    status,
    error: { type, message },
  });

  test.each([
    [400, 'invalid_request_error', 'INVALID_ARGUMENT'],
    [401, 'authentication_error', 'UNAUTHENTICATED'],
    [403, 'permission_error', 'PERMISSION_DENIED'],
    [404, 'not_found_error', 'NOT_FOUND'],
    [413, 'request_too_large', 'INVALID_ARGUMENT'],
  ])('HTTP %i without a retry', async (status, type, errorCode) => {
    fake.answer(error(status, type, `bad ${key} thing`));
    expect(await ask()).toEqual([{ errorCode, errorMessage: 'bad [key] thing' }]);
    expect(fake.received).toBe(1);
    expect(failures).toMatchObject([{ model: 'anthropic/claude-sonnet-4-5', errorCode }]);
  });

  test('a wrong key, which is not told', async () => {
    const [response] = await ask({}, { apiKey: 'sk-wrong-key' });
    expect(response).toMatchObject({ errorCode: 'UNAUTHENTICATED', errorMessage: 'invalid x-api-key' });
  });

  test.each([529, 500, 429])('HTTP %i after retries that the server postpones for too long', async (status) => {
    const headers = { 'retry-after': '30' };
    fake.answer({ ...error(status, 'overloaded_error', 'busy'), headers });
    const errorCode = status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE';
    const customMetadata = status === 429 ? { customMetadata: { retry_after_seconds: 30 } } : {};
    expect(await ask()).toEqual([{ errorCode, errorMessage: 'busy', ...customMetadata }]);
  });

  test('an error in mid-stream', async () => {
    fake.answer({ blocks: [{ text: 'a' }], thenError: { type: 'overloaded_error', message: `busy ${key}` } });
    expect((await ask()).at(-1)).toEqual({ errorCode: 'UNAVAILABLE', errorMessage: 'busy [key]' });
    expect(fake.received).toBe(1);
  });

  const frame = (event: { type: string; [field: string]: unknown }): string =>
    `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  const start = frame({
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  });
  const text =
    start +
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } });
  test.each([
    ['garbage in mid-stream', `${text}event: x\ndata: {garbage\n\n`, 'MODEL_RESPONSE_UNREADABLE'],
    ['a stream without its end', text, 'MODEL_STREAM_BROKEN'],
    ['a stream of nothing', '', 'MODEL_STREAM_BROKEN'],
    ['an HTML page', '<html>innards</html>', /MODEL_(STREAM_BROKEN|RESPONSE_UNREADABLE)/],
  ])('%s', async (_what, body, errorCode) => {
    fake.answer({ contentType: 'text/event-stream', body });
    const responses = await ask();
    const code = errorCode instanceof RegExp ? expect.stringMatching(errorCode) : errorCode;
    expect(responses.filter(({ partial }) => partial !== true)).toMatchObject([{ errorCode: code }]);
    expect(JSON.stringify(responses)).not.toContain('innards');
  });

  test('arguments that are no JSON', async () => {
    fake.answer({ blocks: [call('toolu_1', '{"n":')] });
    expect((await ask()).at(-1)).toMatchObject({ errorCode: 'MALFORMED_FUNCTION_CALL' });
  });

  test('a connection that breaks, and a server that hangs, in mid-stream', async () => {
    const sse = { contentType: 'text/event-stream', body: text };
    fake.answer({ ...sse, after: 'break' }, { ...sse, after: 'hang' });
    expect((await ask()).at(-1)).toMatchObject({ errorCode: 'MODEL_UNREACHABLE' });
    expect((await ask({}, { timeoutMs: 300 })).at(-1)).toMatchObject({ errorCode: 'DEADLINE_EXCEEDED' });
  });

  test('an HTML page in place of an error', async () => {
    fake.answer({ status: 403, contentType: 'text/html', body: '<html>innards</html>' });
    const errorMessage = "The model's server answered HTTP 403.";
    expect(await ask()).toEqual([{ errorCode: 'PERMISSION_DENIED', errorMessage }]);
  });

  test('a redirect, which would take the key elsewhere', async () => {
    const headers = { location: `${fake.baseUrl}/v1/messages` };
    fake.answer({ status: 307, contentType: 'text/plain', body: '', headers });
    expect(await ask()).toMatchObject([{ errorCode: 'MODEL_RESPONSE_UNREADABLE' }]);
    expect(fake.received).toBe(1);
  });
});

describe('a retry', () => {
  const busy = { status: 529, error: { type: 'overloaded_error', message: 'busy' } };

  test('hides an overloaded server, a limit and an error at the head of a stream', async () => {
    const limits = {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date().toISOString(),
    };
    fake.answer(
      busy,
      { status: 429, error: { type: 'rate_limit_error', message: 'slow' }, headers: limits },
      {
        contentType: 'text/event-stream',
        body: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
      },
    );
    expect((await ask()).at(-1)?.content?.parts).toEqual([{ text: 'ok' }]);
    expect(fake.received).toBe(4);
  });

  test('is not made where the server says that it is of no use', async () => {
    fake.answer({ ...busy, headers: { 'x-should-retry': 'false' } });
    expect(await ask()).toEqual([{ errorCode: 'UNAVAILABLE', errorMessage: 'busy' }]);
  });
});

test('an abort ends the call at any time without a response, and closes the connection', async () => {
  fake.answer('hang');
  const controller = new AbortController();
  const responses = ask({}, { signal: controller.signal });
  await expect.poll(() => fake.received).toBe(1);
  controller.abort();
  expect(await responses).toEqual([]);
  await expect.poll(() => fake.hanging).toBe(0);
  expect(failures).toEqual([]);
});
