import { type Content, HarmBlockThreshold, HarmCategory, type Part, ThinkingLevel, Type } from '@google/genai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakePart } from '../../../../../test/fakes/gemini/answer.ts';
import { type FakeGemini, startFakeGemini } from '../../../../../test/fakes/gemini/index.ts';
import { signPart } from '../../../../../test/fakes/gemini/signature.ts';
import { createAsker, tools } from '../../../test/ask-model.ts';

const key = 'goog-secret';
const model = 'gemini-3-flash-preview';
const call = (id: string | undefined, signed = false, args = { n: 1 }): FakePart => ({
  call: { name: 'lookup', args, ...(id === undefined ? {} : { id }) },
  signed,
});

let fake: FakeGemini;
let ask: ReturnType<typeof createAsker>;

beforeEach(async () => {
  fake = await startFakeGemini({ apiKey: key });
  ask = createAsker(model, { baseUrl: fake.baseUrl, apiKey: key });
});

afterEach(async () => fake[Symbol.asyncDispose]());

const settings = (): unknown => fake.requests.at(-1)?.body['generationConfig'];
const withAnswer = (content: Content | undefined, ...answers: Part[]): Content[] => [
  { role: 'user', parts: [{ text: 'go' }] },
  content ?? {},
  { role: 'user', parts: answers },
];

describe('an answer', () => {
  test('streams thoughts and text, then the whole with usage as the vendor tells it', async () => {
    const usage = { thoughtsTokenCount: 3, cachedContentTokenCount: 5, totalTokenCount: 21, trafficType: 'ON_DEMAND' };
    fake.answer({ parts: [{ thought: ['h', 'm'] }, { text: ['Hel', 'lo'], signed: true }], usage });
    const responses = await ask();
    expect(responses.map(({ partial, content }) => [partial, content?.parts])).toEqual([
      [true, [{ text: 'h', thought: true }]],
      [true, [{ text: 'm', thought: true }]],
      [true, [{ text: 'Hel' }]],
      [true, [{ text: 'lo' }]],
      [true, [{ text: '' }]],
      [
        false,
        [
          { text: 'hm', thought: true },
          { text: 'Hello', thoughtSignature: signPart() },
        ],
      ],
    ]);
    const told = {
      finishReason: 'STOP',
      usageMetadata: {
        promptTokenCount: 11,
        candidatesTokenCount: 7,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
        ...usage,
      },
    };
    expect(responses.slice(-2)).toMatchObject([told, { ...told, modelVersion: model }]);
    expect(responses.filter(({ finishReason }) => finishReason !== undefined)).toHaveLength(2);
  });

  test('comes as one response without streaming', async () => {
    fake.answer({ parts: [{ thought: 'hm' }, { text: 'Hello' }, { image: 'AA==' }] });
    const [response, ...others] = await ask({}, { stream: false });
    expect(others).toEqual([]);
    expect(response).not.toHaveProperty('partial');
    expect(response).toMatchObject({ modelVersion: model, finishReason: 'STOP' });
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    expect(response?.content?.parts).toEqual([{ text: 'hm', thought: true }, { text: 'Hello' }, image]);
  });

  test.each([true, false])('brings parallel calls in the whole response alone; streamed: %s', async (stream) => {
    fake.answer({ parts: [{ text: 'wait' }, call('fc_1', true), call('fc_2'), { call: { name: 'lookup' } }] });
    const responses = await ask({ config: { tools } }, { stream });
    expect(responses.at(-1)?.content?.parts).toEqual([
      { text: 'wait' },
      {
        functionCall: { id: 'fc_1', name: 'lookup', args: { n: 1 } },
        thoughtSignature: signPart({ name: 'lookup', args: { n: 1 } }),
      },
      { functionCall: { id: 'fc_2', name: 'lookup', args: { n: 1 } } },
      { functionCall: { id: expect.stringMatching(/^adk-/), name: 'lookup', args: {} } },
    ]);
    expect(responses.filter(({ content }) => content?.parts?.some((part) => part.functionCall))).toHaveLength(1);
  });

  test.each(['MAX_TOKENS', 'SAFETY', 'RECITATION', 'MALFORMED_FUNCTION_CALL', 'PROHIBITED_CONTENT', 'NEW_REASON'])(
    'that ends by %s keeps its text, drops its calls and says so',
    async (finishReason) => {
      fake.answer({ parts: [{ text: 'Hel' }, call('fc_1')], finishReason });
      const last = (await ask({ config: { tools } })).at(-1);
      expect(last).toMatchObject({ content: { parts: [{ text: 'Hel' }] }, finishReason, errorCode: finishReason });
      expect(last?.errorMessage).toBeTruthy();
    },
  );

  test.each([true, false])('names its sources; streamed: %s', async (stream) => {
    const groundingMetadata = { webSearchQueries: ['q'], groundingChunks: [{ web: { uri: 'https://a.example' } }] };
    const citations = [{ startIndex: 0, endIndex: 2, uri: 'https://b.example' }];
    fake.answer({ parts: [{ text: ['a', 'b'] }], groundingMetadata, citationMetadata: { citationSources: citations } });
    const responses = await ask({}, { stream });
    expect(responses.at(-1)).toMatchObject({ groundingMetadata, citationMetadata: { citations } });
    expect(responses.filter((response) => 'groundingMetadata' in response)).toHaveLength(1);
  });

  test("is told in the vendor's words why it ended, where it says", async () => {
    fake.answer({ parts: [], finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed: print(x)' });
    expect((await ask()).at(-1)).toMatchObject({ errorMessage: 'Malformed: print(x)' });
  });

  test.each([true, false])('to a blocked prompt is the reason of the block; streamed: %s', async (stream) => {
    fake.answer({ blockReason: 'PROHIBITED_CONTENT' });
    const [response] = await ask({}, { stream });
    expect(response).toMatchObject({ errorCode: 'PROHIBITED_CONTENT', usageMetadata: { promptTokenCount: 11 } });
    expect(response).not.toHaveProperty('finishReason');
  });
});

describe('a signature of the vendor', () => {
  test.each([true, false])('is sent back unchanged; streamed: %s', async (stream) => {
    const text: FakePart = { text: '', signed: true };
    fake.answer({ parts: [{ thought: 'hm', signed: true }, { text: 'wait' }, call('fc_1', true), call('fc_2')] });
    const content = (await ask({ config: { tools } }, { stream })).at(-1)?.content;
    const response = { r: 1 };
    const contents = withAnswer(
      content,
      { functionResponse: { id: 'fc_2', name: 'lookup', response } },
      { functionResponse: { id: 'fc_1', name: 'lookup', response } },
    );
    fake.answer({ parts: [{ text: 'done' }, text] });
    const last = (await ask({ config: { tools }, contents }, { stream })).at(-1);
    expect(last).not.toHaveProperty('errorCode');
    expect(fake.requests[1]?.contents[1]?.parts).toMatchObject([
      { thought: true, thoughtSignature: signPart() },
      { text: 'wait' },
      { functionCall: { id: 'fc_1' }, thoughtSignature: expect.any(String) },
      { functionCall: { id: 'fc_2' } },
    ]);
    expect(fake.requests[1]?.contents[2]?.parts).toMatchObject([
      { functionResponse: { id: 'fc_2' } },
      { functionResponse: { id: 'fc_1' } },
    ]);
    const more = [...contents, last?.content ?? {}, { role: 'user', parts: [{ text: 'more' }] }];
    expect((await ask({ config: { tools }, contents: more }, { stream })).at(-1)).not.toHaveProperty('errorCode');
    if (stream) expect(last?.content?.parts).toEqual([{ text: 'done', thoughtSignature: signPart() }]);
  });

  test('is not required for calls that another model made', async () => {
    const thoughtSignature = Buffer.from('anthropic:sig').toString('base64');
    const parts = [
      { text: 'foreign', thought: true, thoughtSignature },
      { functionCall: { id: 'toolu_1', name: 'lookup', args: {} }, thoughtSignature },
    ];
    const contents = withAnswer({ role: 'model', parts }, { functionResponse: { id: 'toolu_1', name: 'lookup' } });
    expect((await ask({ config: { tools }, contents })).at(-1)).not.toHaveProperty('errorCode');
    expect(fake.requests[0]?.contents[1]?.parts).toHaveLength(1);
  });
});

describe('a request', () => {
  test("carries the app's settings as they are", async () => {
    const generationConfig = {
      temperature: 1.7,
      topP: 0.9,
      topK: 5,
      maxOutputTokens: 99,
      stopSequences: ['END'],
      seed: 7,
      presencePenalty: 1,
      frequencyPenalty: 0.5,
    };
    const safetySettings = [
      { category: HarmCategory.HARM_CATEGORY_HARASSMENT, threshold: HarmBlockThreshold.BLOCK_NONE },
    ];
    const thinkingConfig = { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW };
    const responseSchema = { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } };
    const systemInstruction = 'Be kind.';
    await ask({ config: { ...generationConfig, safetySettings, thinkingConfig, responseSchema, systemInstruction } });
    expect(settings()).toMatchObject({
      ...generationConfig,
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' },
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { a: { type: 'integer' } } },
    });
    const { body } = fake.requests[0] ?? {};
    expect(body).toMatchObject({ safetySettings, systemInstruction: { parts: [{ text: 'Be kind.' }] } });
  });

  test.each(['gemini-2.5-flash', 'google/gemini-2.5-flash', 'gemini/gemini-2.5-flash'])(
    'to %s leaves out what that model refuses, and brings JSON beside tools',
    async (name) => {
      const older = createAsker(name, { baseUrl: fake.baseUrl, apiKey: key });
      fake.answer({ parts: [{ call: { name: 'json', args: { a: 1 } } }] });
      const responseSchema = { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } };
      const config = { tools, responseSchema, presencePenalty: 1, thinkingConfig: { thinkingBudget: -1 } };
      const last = (await older({ config })).at(-1);
      expect(last?.content?.parts).toEqual([{ text: '{"a":1}' }]);
      expect(settings()).toEqual({ thinkingConfig: { thinkingBudget: -1 } });
      expect(fake.requests[0]?.model).toBe('gemini-2.5-flash');
    },
  );

  test('pairs calls and answers without ids, and lets a user begin', async () => {
    const contents: Content[] = [
      { role: 'model', parts: [{ text: 'I begin' }] },
      ...withAnswer(
        { role: 'model', parts: [{ functionCall: { name: 'lookup' } }, { functionCall: { name: 'ask' } }] },
        { functionResponse: { name: 'ask', response: { r: 1 } } },
        { text: 'and?' },
      ),
    ];
    expect((await ask({ contents, config: { tools } })).at(-1)).not.toHaveProperty('errorCode');
    const answers = fake.requests[0]?.contents[4]?.parts;
    expect(answers).toMatchObject([{ functionResponse: { name: 'ask' } }, { functionResponse: { name: 'lookup' } }]);
  });

  test.each([model, 'gemini-2.5-flash'])('gives %s the answer of a tool itself, with its images', async (name) => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const answers = [{ r: { $ref: 'x' } }, { name: 'n', content: [image] }, { content: 'plain' }];
    const contents = withAnswer(
      { role: 'model', parts: answers.map(() => ({ functionCall: { name: 'lookup' } })) },
      ...answers.map((response) => ({ functionResponse: { name: 'lookup', response } })),
    );
    const asked = createAsker(name, { baseUrl: fake.baseUrl, apiKey: key });
    expect((await asked({ contents, config: { tools } })).at(-1)).not.toHaveProperty('errorCode');
    const parts = (fake.requests[0]?.contents[2]?.parts ?? []) as readonly Part[];
    expect(parts.flatMap(({ functionResponse }) => functionResponse?.response ?? [])).toEqual([
      answers[0],
      { name: 'n', content: [{ type: 'image', mimeType: 'image/png' }] },
      answers[2],
    ]);
    expect(JSON.stringify(parts)).toContain('"inlineData":{"mimeType":"image/png","data":"AA=="}');
  });

  test('shows files of any kind, and links', async () => {
    const png = { inlineData: { mimeType: 'image/png', data: '-_8=' } };
    const csv = { inlineData: { mimeType: 'text/csv', data: 'AA==' } };
    const link = { fileData: { fileUri: 'https://x.example/v.mp4', mimeType: 'video/mp4' } };
    const drawn = { inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: signPart() };
    const contents = [
      { role: 'user', parts: [png, csv, link] },
      { role: 'model', parts: [drawn] },
      { role: 'user', parts: [{ text: 'nice' }] },
    ];
    expect((await ask({ contents })).at(-1)).not.toHaveProperty('errorCode');
    expect(fake.requests[0]?.contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: '+/8=' } },
      csv,
      link,
    ]);
    expect(fake.requests[0]?.contents[1]?.parts).toEqual([drawn]);
  });

  test('with a setting that does not exist is refused before it is sent', async () => {
    const thinkingConfig = { thinkingLevel: 'EXTREME' as ThinkingLevel };
    expect(await ask({ config: { thinkingConfig } })).toMatchObject([{ errorCode: 'INVALID_ARGUMENT' }]);
    expect(fake.received).toBe(0);
  });
});

test('tools that Gemini runs itself are switched on', async () => {
  fake.answer({ parts: [{ text: ['ok'] }] });
  await ask({ config: { tools: [{ googleSearch: {} }, { urlContext: {} }] } });
  expect(fake.requests.at(-1)?.body['tools']).toEqual([{ googleSearch: {} }, { urlContext: {} }]);
});
