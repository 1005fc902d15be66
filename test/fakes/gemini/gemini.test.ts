import { ApiError, type Content, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeGemini, startFakeGemini } from './index.ts';
import { signPart } from './signature.ts';

const model = 'gemini-3-flash-preview';
const hello: Content = { role: 'user', parts: [{ text: 'hello' }] };
const call = { id: 'fc_1', name: 'get', args: { a: 1 } };

let fake: FakeGemini;

const clientOf = (apiKey: string): GoogleGenAI =>
  new GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl: fake.baseUrl } });

beforeEach(async () => {
  fake = await startFakeGemini({ apiKey: 'right' });
});

afterEach(async () => fake[Symbol.asyncDispose]());

const partsOf = ({ candidates }: GenerateContentResponse) => candidates?.[0]?.content?.parts ?? [];

describe('the official client', () => {
  test.each([true, false])('reads text, thoughts and calls, streamed: %s', async (streamed) => {
    fake.answer({ parts: [{ thought: ['h', 'm'] }, { text: ['a', 'b'], signed: true }, { call, signed: true }] });
    const { models } = clientOf('right');
    const asked = { model, contents: 'hello' };
    const responses = streamed
      ? await Array.fromAsync(await models.generateContentStream(asked))
      : [await models.generateContent(asked)];
    const parts = responses.flatMap(partsOf);
    expect(
      parts
        .filter(({ thought }) => thought)
        .map(({ text }) => text)
        .join(''),
    ).toBe('hm');
    expect(
      parts
        .filter((part) => part.text !== undefined && !part.thought)
        .map(({ text }) => text)
        .join(''),
    ).toBe('ab');
    expect(parts.at(-1)).toEqual({ functionCall: call, thoughtSignature: signPart(call) });
    expect(responses.at(-1)).toMatchObject({ modelVersion: model, usageMetadata: { totalTokenCount: 18 } });
    expect(responses.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
  });

  test('returns the citations and the grounding metadata', async () => {
    const [citation, groundingMetadata] = [{ startIndex: 0, uri: 'https://a.example' }, { webSearchQueries: ['q'] }];
    fake.answer({
      parts: [{ text: 'a' }],
      groundingMetadata,
      citationMetadata: { citationSources: [citation] },
    });
    const { candidates } = await clientOf('right').models.generateContent({ model, contents: [hello] });
    expect(candidates?.[0]).toMatchObject({ groundingMetadata, citationMetadata: { citations: [citation] } });
  });

  test('sends calls with their signatures and results back in the next request', async () => {
    fake.answer({ parts: [{ call, signed: true }] });
    const { models } = clientOf('right');
    const [part = {}] = partsOf(await models.generateContent({ model, contents: [hello] }));
    const answer = { functionResponse: { id: 'fc_1', name: 'get', response: { r: 1 } } };
    const contents = [hello, { role: 'model', parts: [part] }, { role: 'user', parts: [answer] }];
    const tools = [{ functionDeclarations: [{ name: 'get', parametersJsonSchema: { type: 'object' } }] }];
    const config = {
      tools,
      systemInstruction: 'Be kind.',
      temperature: 0.5,
      thinkingConfig: { includeThoughts: true },
    };
    expect((await models.generateContent({ model, contents, config })).text).toBe('ok');
  });

  test('reports a blocked prompt, and throws errors as its own class', async () => {
    fake.answer({ blockReason: 'SAFETY' });
    const { models } = clientOf('right');
    expect((await models.generateContent({ model, contents: 'x' })).promptFeedback?.blockReason).toBe('SAFETY');
    fake.answer({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } });
    await expect(models.generateContent({ model, contents: 'x' })).rejects.toMatchObject({ status: 503 });
    const wrong = clientOf('wrong').models.generateContent({ model, contents: 'x' });
    await expect(wrong).rejects.toBeInstanceOf(ApiError);
    await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining('API_KEY_INVALID') });
  });
});

describe('the fake refuses', () => {
  const used = (over: object = { thoughtSignature: signPart(call) }): object => ({
    role: 'model',
    parts: [{ functionCall: call, ...over }],
  });
  const answered = { role: 'user', parts: [{ functionResponse: { name: 'get', response: {} } }] };
  const said = (...parts: object[]): object => ({ contents: [{ role: 'user', parts }] });
  const wrong: [string, object][] = [
    ['no contents', {}],
    ['an unknown field', { contents: [hello], max_tokens: 1 }],
    ['an unknown setting', { contents: [hello], generationConfig: { foo: 1 } }],
    ['a role nobody has', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }],
    ['a content without parts', { contents: [{ role: 'user', parts: [] }] }],
    ['a part that says nothing', said({})],
    ['a part that says two things', said({ text: 'x', inlineData: { mimeType: 'a/b', data: 'AA==' } })],
    ['bytes in the other alphabet', said({ inlineData: { mimeType: 'image/png', data: '-_8=' } })],
    ['a call without an answer', { contents: [hello, used(), hello] }],
    ['an answer without a call', { contents: [hello, answered] }],
    [
      'two answers to one call',
      { contents: [hello, used(), { role: 'user', parts: [...answered.parts, ...answered.parts] }] },
    ],
    ['a call that nobody asked for', { contents: [used(), answered] }],
    ['a call without its signature', { contents: [hello, used({}), answered] }],
    ['a wrong signature', { contents: [hello, used({ thoughtSignature: signPart() }), answered] }],
    ['a temperature over 2', { contents: [hello], generationConfig: { temperature: 3 } }],
    [
      'a level and a budget of thought',
      { contents: [hello], generationConfig: { thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1 } } },
    ],
    ['a tool with a bad name', { contents: [hello], tools: [{ functionDeclarations: [{ name: 'a b' }] }] }],
    ['a schema for text', { contents: [hello], generationConfig: { responseJsonSchema: {} } }],
  ];
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': 'right' };
  const post = (body: object, over: object = {}, asked = model): Promise<Response> =>
    fetch(`${fake.baseUrl}/v1beta/models/${asked}:generateContent`, {
      method: 'POST',
      headers: { ...headers, ...over },
      body: JSON.stringify(body),
    });

  test.each(wrong)('%s', async (_what, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    expect(fake.requests).toEqual([]);
  });

  test('other paths, no key, and JSON beside tools of older models', async () => {
    expect((await post({ contents: [hello] })).status).toBe(200);
    expect((await fetch(`${fake.baseUrl}/v1/models/x:generateContent`, { method: 'POST', headers })).status).toBe(404);
    const bare = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(`${fake.baseUrl}/v1beta/models/x:generateContent`, bare)).status).toBe(403);
    const tools = [{ functionDeclarations: [{ name: 'get' }] }];
    const mixed = { contents: [hello], tools, generationConfig: { responseMimeType: 'application/json' } };
    expect((await post(mixed, {}, 'gemini-2.5-flash')).status).toBe(400);
    expect((await post(mixed)).status).toBe(200);
  });
});
