import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeEmbeddings, startFakeEmbeddings } from './openai-embeddings.ts';

let fake: FakeEmbeddings;
let client: OpenAI;

beforeEach(async () => {
  fake = await startFakeEmbeddings({ apiKey: 'sk-right', vectorOf: (text) => [text.length, 0.5, -1] });
  client = new OpenAI({ apiKey: 'sk-right', baseURL: fake.baseUrl, maxRetries: 0 });
});

afterEach(async () => fake[Symbol.asyncDispose]());

describe('the official client', () => {
  test.each([undefined, 'float', 'base64'] as const)('reads vectors, encoded as %s', async (encoding) => {
    const request = { model: 'm', input: ['a', 'bb'], ...(encoding && { encoding_format: encoding }) };
    const { data, usage } = await client.embeddings.create(request);
    // For base64 that the caller asked for, the client returns the text undecoded.
    const wanted = encoding === 'base64' ? expect.any(String) : undefined;
    expect(data.map(({ embedding }) => embedding)).toEqual([wanted ?? [1, 0.5, -1], wanted ?? [2, 0.5, -1]]);
    expect(usage.total_tokens).toBe(3);
  });

  test('gets vectors of fewer dimensions, and sends a single text', async () => {
    const { data } = await client.embeddings.create({ model: 'm', input: 'abc', dimensions: 2 });
    expect(data[0]?.embedding).toEqual([3, 0.5]);
    expect(fake.requests).toEqual([{ model: 'm', input: ['abc'], encoding: 'base64', dimensions: 2 }]);
  });

  test('throws errors as its own classes', async () => {
    const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: fake.baseUrl, maxRetries: 0 });
    await expect(wrong.embeddings.create({ model: 'm', input: 'a' })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    for (const input of ['', [], ['a', ''], 'x'.repeat(40_000)]) {
      await expect(client.embeddings.create({ model: 'm', input })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    }
    fake.answer({ status: 429, error: { message: 'slow down' } });
    await expect(client.embeddings.create({ model: 'm', input: 'a' })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});
