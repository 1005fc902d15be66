import type { LlmResponse } from '@google/adk/core';
import type { Content } from '@google/genai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeOpenAi, startFakeOpenAi } from '../../../../../test/fakes/openai.ts';
import { AiSdkLlm } from '../ai-sdk/ai-sdk-llm.ts';
import { connectModel } from '../connect-model.ts';

const key = 'sk-secret-key';

let fake: FakeOpenAi;

beforeEach(async () => {
  fake = await startFakeOpenAi({ apiKey: key });
});

afterEach(async () => fake[Symbol.asyncDispose]());

describe("OpenAI's own server", () => {
  const { origin } = new URL('https://api.openai.com/v1');
  /** Sends requests for the vendor to the fake. */
  const toFake: typeof fetch = (input, init) => fetch((input as string).replace(origin, fake.origin), init);

  async function askOwn(model: string, apiKey?: string): Promise<LlmResponse[]> {
    const endpoint = { baseUrl: `${origin}/v1`, fetch: toFake, ...(apiKey === undefined ? {} : { apiKey }) };
    const connect = () => connectModel({ provider: 'openai', model }, endpoint);
    const llm = new AiSdkLlm({ model: `openai/${model}`, connect, timeoutMs: 30_000 });
    const config = {
      systemInstruction: 'Be kind.',
      maxOutputTokens: 99,
      temperature: 0.5,
      thinkingConfig: { thinkingBudget: 500 },
    };
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'hello' }] }];
    return Array.fromAsync(llm.generateContentAsync({ contents, config, toolsDict: {}, liveConnectConfig: {} }, true));
  }

  test('gets requests in the format of its reasoning models', async () => {
    fake.answer({ text: ['Hel', 'lo'] });
    expect((await askOwn('gpt-5-mini', key)).at(-1)?.content?.parts).toEqual([{ text: 'Hello' }]);
    const { body } = fake.requests[0] ?? {};
    expect(body).toMatchObject({
      messages: [{ role: 'developer' }, { role: 'user' }],
      max_completion_tokens: 99,
      reasoning_effort: 'low',
    });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('max_tokens');
  });

  test('needs a key', async () => {
    const errorMessage = expect.stringContaining('OPENAI_API_KEY');
    expect(await askOwn('gpt-5-mini')).toEqual([{ errorCode: 'MODEL_KEY_MISSING', errorMessage }]);
  });
});
