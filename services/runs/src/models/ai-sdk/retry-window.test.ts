import type { LlmRequest, LlmResponse } from '@google/adk/core';
import type { HttpRetryOptions } from '@google/genai';
import { expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../../../../test/fakes/anthropic/index.ts';
import { startFakeOpenAi } from '../../../../../test/fakes/openai.ts';
import { connectModel } from '../connect-model.ts';
import { noteCaller } from '../use/model-caller.ts';
import { RunWaits } from '../use/run-waits.ts';
import type { VendorModel } from '../vendor-model.ts';
import { AiSdkLlm } from './ai-sdk-llm.ts';

const busy = { status: 529, error: { type: 'overloaded_error', message: 'busy' } };
/** Long enough for a first call, the pause after it and a second call on a busy machine. The tests wait for it together. */
const retryWindowMs = 6_000;
/** Shorter than a model of these tests may be silent. */
const muchLaterMs = 30_000;

const run = { accountId: 'a', appName: 'a', userId: 'u', invocationId: 'e' };

const startFake = (): Promise<FakeAnthropic> => startFakeAnthropic({ apiKey: 'k' });

async function ask(
  asked: VendorModel & { baseUrl: string },
  { stream = true, timeoutMs = 60_000 } = {},
): Promise<{ responses: LlmResponse[]; tookMs: number }> {
  const connect = () => connectModel(asked, { baseUrl: asked.baseUrl, apiKey: 'k' });
  const llm = new AiSdkLlm({ model: 'anthropic/m', connect, timeoutMs, retries: { windowMs: retryWindowMs } });
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
  const request: LlmRequest = { contents, toolsDict: {}, liveConnectConfig: {} };
  const startedAt = performance.now();
  const responses = await Array.fromAsync(llm.generateContentAsync(request, stream));
  return { responses, tookMs: performance.now() - startedAt };
}

const modelOf = ({ baseUrl }: FakeAnthropic) => ({ provider: 'anthropic' as const, model: 'm', baseUrl });

test.concurrent.each([true, false])(
  'a retry that is answered with nothing ends with the window, however long a model may be silent; streamed: %s',
  async (stream) => {
    await using fake = await startFake();
    fake.answer(busy, 'hang');
    const { responses, tookMs } = await ask(modelOf(fake), { stream });
    expect(responses).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED' }]);
    expect(tookMs).toBeLessThan(muchLaterMs);
  },
);

test.concurrent('the request says how often it is tried again, and an abort ends the pause before that', async () => {
  await using fake = await startFake();
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

test.concurrent('headers and a comment at the head of a stream do not count as the start of the answer', async () => {
  await using openAi = await startFakeOpenAi({ apiKey: 'k' });
  openAi.answer({ status: 503, error: { message: 'busy' } });
  openAi.answer({ contentType: 'text/event-stream', body: ': hello\n\n', after: 'hang' });
  const own = { provider: 'openai' as const, model: 'm', baseUrl: openAi.baseUrl };
  const { responses, tookMs } = await ask(own);
  expect(responses).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED' }]);
  expect(tookMs).toBeLessThan(muchLaterMs);
});

test.concurrent('a retry that has begun to answer may be silent as long as any answer', async () => {
  const start = { type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } };
  const body = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: start })}\n\n`;
  await using fake = await startFake();
  fake.answer(busy, { contentType: 'text/event-stream', body, after: 'hang' });
  const { responses, tookMs } = await ask(modelOf(fake), { timeoutMs: 7_000 });
  expect(responses).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED', errorMessage: 'The model was silent for 7 s.' }]);
  expect(tookMs).toBeGreaterThan(retryWindowMs);
});

test.concurrent('a call is repeated when it is the turn of its run', async () => {
  await using fake = await startFake();
  fake.answer(busy, busy);
  const [asked, turn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const again = (): Promise<void> => {
    asked.resolve();
    return turn.promise;
  };
  const connect = () => connectModel(modelOf(fake), { baseUrl: fake.baseUrl, apiKey: 'k' });
  const llm = new AiSdkLlm({ model: 'anthropic/m', connect, timeoutMs: 60_000 });
  const config = { httpOptions: { retryOptions: { attempts: 2, initialDelay: 0, jitter: 0 } } };
  const request: LlmRequest = {
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    config,
    toolsDict: {},
    liveConnectConfig: {},
  };
  noteCaller(request, { ...run, waits: new RunWaits(() => undefined, again) });
  const answer = Array.fromAsync(llm.generateContentAsync(request, true));
  await asked.promise;
  expect(fake.received).toBe(1);
  turn.resolve();
  expect(await answer).toMatchObject([{ errorCode: 'UNAVAILABLE' }]);
  expect(fake.received).toBe(2);
});

/** Asks a model that refuses for a run whose steps the test gives. */
function askInSteps(fake: FakeAnthropic, signal?: AbortSignal) {
  fake.answer({ status: 400, error: { type: 'invalid_request_error', message: 'no' } });
  const steps: (() => void)[] = [];
  const step = (): Promise<void> => new Promise((go) => steps.push(go));
  const connect = () => connectModel(modelOf(fake), { baseUrl: fake.baseUrl, apiKey: 'k' });
  const llm = new AiSdkLlm({ model: 'anthropic/m', connect, timeoutMs: 60_000 });
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
  const request: LlmRequest = { contents, toolsDict: {}, liveConnectConfig: {} };
  noteCaller(request, { ...run, waits: new RunWaits(undefined, undefined, step) });
  const responses: LlmResponse[] = [];
  const told = (async () => {
    for await (const response of llm.generateContentAsync(request, true, signal)) responses.push(response);
  })();
  return { steps, responses, told };
}

test.concurrent('a call is sent, and its failure is told, when the account of its run has a step', async () => {
  await using fake = await startFake();
  const { steps, responses, told } = askInSteps(fake);
  await expect.poll(() => steps.length).toBe(1);
  expect(fake.received).toBe(0);
  steps[0]?.();
  await expect.poll(() => steps.length).toBe(2);
  expect([fake.received, responses]).toEqual([1, []]);
  steps[1]?.();
  await told;
  expect(responses).toMatchObject([{ errorCode: expect.any(String) }]);
});

test.concurrent('a failure is not told when its run is stopped before its account has a step', async () => {
  await using fake = await startFake();
  const stopping = new AbortController();
  const { steps, responses, told } = askInSteps(fake, stopping.signal);
  await expect.poll(() => steps.length).toBe(1);
  steps[0]?.();
  await expect.poll(() => steps.length).toBe(2);
  stopping.abort();
  steps[1]?.();
  await told;
  expect(responses).toEqual([]);
});
