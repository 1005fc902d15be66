import type { LlmRequest, LlmResponse } from '@google/adk';
import type { HttpRetryOptions } from '@google/genai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../../../../test/fakes/anthropic/index.ts';
import { startFakeOpenAi } from '../../../../../test/fakes/openai.ts';
import { connectModel } from '../connect-model.ts';
import type { VendorModel } from '../vendor-model.ts';
import { AiSdkLlm } from './ai-sdk-llm.ts';

const busy = { status: 529, error: { type: 'overloaded_error', message: 'busy' } };
const retryWindowMs = 3500;

let fake: FakeAnthropic;

beforeEach(async () => {
  fake = await startFakeAnthropic({ apiKey: 'k' });
});

afterEach(async () => fake[Symbol.asyncDispose]());

async function ask(
  stream: boolean,
  timeoutMs: number,
  own?: VendorModel & { baseUrl: string },
): Promise<{ responses: LlmResponse[]; tookMs: number }> {
  const asked = own ?? { provider: 'anthropic', model: 'm', baseUrl: fake.baseUrl };
  const connect = () => connectModel(asked, { baseUrl: asked.baseUrl, apiKey: 'k' });
  const llm = new AiSdkLlm({ model: 'anthropic/m', connect, timeoutMs, retries: { windowMs: retryWindowMs } });
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
  const request: LlmRequest = { contents, toolsDict: {}, liveConnectConfig: {} };
  const startedAt = performance.now();
  const responses = await Array.fromAsync(llm.generateContentAsync(request, stream));
  return { responses, tookMs: performance.now() - startedAt };
}

test.each([true, false])(
  'a retry that is answered with nothing ends with the window, however long a model may be silent; streamed: %s',
  async (stream) => {
    fake.answer(busy, 'hang');
    const { responses, tookMs } = await ask(stream, 60_000);
    expect(responses).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED' }]);
    expect(tookMs).toBeLessThan(retryWindowMs + 1000);
  },
);

test('the request says how often it is tried again, and an abort ends the pause before that', async () => {
  const connect = () => connectModel({ provider: 'anthropic', model: 'm' }, { baseUrl: fake.baseUrl, apiKey: 'k' });
  const llm = new AiSdkLlm({ model: 'anthropic/m', connect, timeoutMs: 60_000 });
  const request = (retryOptions: HttpRetryOptions, abort?: AbortSignal) => {
    const config = { httpOptions: { retryOptions } };
    const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
    return Array.fromAsync(
      llm.generateContentAsync({ contents, config, toolsDict: {}, liveConnectConfig: {} }, true, abort),
    );
  };
  fake.answer(busy, busy, busy);
  expect(await request({ attempts: 2, initialDelay: 0, jitter: 0 })).toMatchObject([{ errorCode: 'UNAVAILABLE' }]);
  expect(fake.received).toBe(2);
  expect(await request({ attempts: 1 })).toMatchObject([{ errorCode: 'UNAVAILABLE' }]);
  expect(fake.received).toBe(3);
  fake.answer(busy);
  const leaving = new AbortController();
  const answer = request({ initialDelay: 60, maxDelay: 300 }, leaving.signal);
  await expect.poll(() => fake.received, { timeout: 30_000 }).toBe(4);
  leaving.abort();
  expect(await answer).toEqual([]);
});

test('headers and a comment at the head of a stream do not count as the start of the answer', async () => {
  await using openAi = await startFakeOpenAi({ apiKey: 'k' });
  openAi.answer({ status: 503, error: { message: 'busy' } });
  openAi.answer({ contentType: 'text/event-stream', body: ': hello\n\n', after: 'hang' });
  const own = { provider: 'openai' as const, model: 'm', baseUrl: openAi.baseUrl };
  const { responses, tookMs } = await ask(true, 60_000, own);
  expect(responses).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED' }]);
  expect(tookMs).toBeLessThan(retryWindowMs + 1000);
});

test('a retry that has begun to answer may be silent as long as any answer', async () => {
  const start = { type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } };
  const body = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: start })}\n\n`;
  fake.answer(busy, { contentType: 'text/event-stream', body, after: 'hang' });
  const { responses, tookMs } = await ask(true, 4000);
  expect(responses).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED', errorMessage: 'The model was silent for 4 s.' }]);
  expect(tookMs).toBeGreaterThan(retryWindowMs);
});
