import { type Content, Type } from '@google/genai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakeBlock } from '../../../../../test/fakes/anthropic/answer.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../../../../test/fakes/anthropic/index.ts';
import { createAsker, tools } from '../../../test/ask-model.ts';

const key = 'sk-ant-secret';
const call = (id: string, input: object | string = { n: 1 }): FakeBlock => ({ call: { id, name: 'lookup', input } });

let fake: FakeAnthropic;
let ask: ReturnType<typeof createAsker>;

beforeEach(async () => {
  fake = await startFakeAnthropic({ apiKey: key });
  ask = createAsker('anthropic/claude-sonnet-4-5', { baseUrl: fake.baseUrl, apiKey: key });
});

afterEach(async () => fake[Symbol.asyncDispose]());

const sent = (): Record<string, unknown> => fake.requests.at(-1)?.body ?? {};

describe('an answer', () => {
  test('streams thoughts and text, then the whole with usage and finish reason', async () => {
    fake.answer({
      blocks: [{ thinking: ['h', 'm'] }, { text: ['Hel', 'lö🦜'] }],
      usage: { cache_read_input_tokens: 5, output_tokens_details: { thinking_tokens: 3 } },
    });
    const responses = await ask();
    expect(responses.map(({ partial, content }) => [partial, content?.parts])).toEqual([
      [true, [{ text: 'h', thought: true }]],
      [true, [{ text: 'm', thought: true }]],
      [true, [{ text: 'Hel' }]],
      [true, [{ text: 'lö🦜' }]],
      [false, [{ text: 'hm', thought: true, thoughtSignature: expect.any(String) }, { text: 'Hellö🦜' }]],
    ]);
    expect(responses.at(-1)).toMatchObject({
      finishReason: 'STOP',
      modelVersion: 'claude-sonnet-4-5',
      usageMetadata: {
        promptTokenCount: 16,
        cachedContentTokenCount: 5,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 3,
        totalTokenCount: 23,
      },
    });
  });

  test('comes as one response without streaming', async () => {
    fake.answer({ blocks: [{ thinking: 'hm' }, { text: 'Hello' }] });
    const [response, ...others] = await ask({}, { stream: false });
    expect(others).toEqual([]);
    expect(response).not.toHaveProperty('partial');
    expect(response?.content?.parts).toMatchObject([{ text: 'hm', thought: true }, { text: 'Hello' }]);
  });

  test.each([true, false])(
    'brings parallel calls in the whole response alone, ids kept; streamed: %s',
    async (stream) => {
      fake.answer({ blocks: [{ text: 'wait' }, call('toolu_1'), call('toolu_2', {})] });
      const responses = await ask({ config: { tools } }, { stream });
      expect(responses.at(-1)?.content?.parts).toEqual([
        { text: 'wait' },
        { functionCall: { id: 'toolu_1', name: 'lookup', args: { n: 1 } } },
        { functionCall: { id: 'toolu_2', name: 'lookup', args: {} } },
      ]);
      expect(responses.filter(({ content }) => content?.parts?.some((part) => part.functionCall))).toHaveLength(1);
      expect(responses.at(-1)?.finishReason).toBe('STOP');
    },
  );

  test.each([
    ['max_tokens', 'MAX_TOKENS'],
    ['model_context_window_exceeded', 'MAX_TOKENS'],
    ['refusal', 'SAFETY'],
  ])('that ends by %s keeps its text, drops its calls and says so', async (stopReason, code) => {
    fake.answer({ blocks: [{ text: 'Hel' }, call('toolu_1', '{"n":')], stopReason });
    const last = (await ask({ config: { tools } })).at(-1);
    expect(last).toMatchObject({ content: { parts: [{ text: 'Hel' }] }, finishReason: code, errorCode: code });
    expect(last?.errorMessage).toBeTruthy();
  });

  test.each(['stop_sequence', 'pause_turn'])('that ends by %s has ended well', async (stopReason) => {
    fake.answer({ blocks: [{ text: 'Hel' }], stopReason });
    const last = (await ask()).at(-1);
    expect(last?.finishReason).toBe('STOP');
    expect(last).not.toHaveProperty('errorCode');
  });
});

describe('thoughts', () => {
  test.each([true, false])(
    'go back to the vendor with their signatures, hidden ones too; streamed: %s',
    async (stream) => {
      const blocks = [
        { thinking: 'one' },
        { thinking: 'two' },
        { redacted: 'secret' },
        { thinking: '' },
        call('toolu_1'),
      ];
      fake.answer({ blocks });
      const config = { tools, maxOutputTokens: 4000, thinkingConfig: { thinkingBudget: 2000 } };
      const content = (await ask({ config }, { stream })).at(-1)?.content as Content;
      expect(content.parts?.map(({ text, thought }) => [text, thought])).toEqual([
        ['one', true],
        ['two', true],
        [undefined, true],
        [undefined, true],
        [undefined, undefined],
      ]);
      const contents: Content[] = [
        { role: 'user', parts: [{ text: 'go' }] },
        content,
        { role: 'user', parts: [{ functionResponse: { id: 'toolu_1', name: 'lookup', response: { r: 1 } } }] },
      ];
      expect((await ask({ config, contents }, { stream })).at(-1)).toMatchObject({
        content: { parts: [{ text: 'ok' }] },
      });
      expect(fake.requests.at(-1)?.messages[1]?.blocks.map(({ type }) => type)).toEqual([
        'thinking',
        'thinking',
        'redacted_thinking',
        'thinking',
        'tool_use',
      ]);
    },
  );

  test('that another vendor signed, or without a signature, are left out', async () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'foreign', thought: true, thoughtSignature: 'AAAA' },
      { text: 'a' },
    ];
    await ask({
      contents: [
        { role: 'user', parts: [{ text: 'b' }] },
        { role: 'model', parts },
      ],
    });
    expect(fake.requests.at(-1)?.messages[1]?.blocks).toMatchObject([{ type: 'text', text: 'a' }]);
  });

  test.each([
    [{ thinkingBudget: 2000 }, { type: 'enabled', budget_tokens: 2000 }],
    [{ thinkingBudget: 5 }, { type: 'enabled', budget_tokens: 1024 }],
    [{ thinkingBudget: 0 }, { type: 'disabled' }],
    [{ includeThoughts: true }, { type: 'enabled' }],
    [{ thinkingBudget: -1 }, { type: 'enabled' }],
    [{ includeThoughts: false }, undefined],
  ])('are asked for by %j', async (thinkingConfig, thinking) => {
    await ask({ config: { thinkingConfig, maxOutputTokens: 3000, temperature: 0.5 } });
    if (thinking === undefined) expect(sent()['thinking']).toBeUndefined();
    else expect(sent()['thinking']).toMatchObject(thinking);
  });
});

describe('a request', () => {
  test("has the settings under the vendor's names, without unknown ones", async () => {
    await ask({
      config: {
        systemInstruction: 'Be kind.',
        temperature: 1.7,
        topP: 0.9,
        topK: 5,
        stopSequences: ['END'],
        seed: 7,
        presencePenalty: 1,
        frequencyPenalty: 1,
        tools,
      },
    });
    expect(sent()).toMatchObject({
      model: 'claude-sonnet-4-5',
      system: [{ type: 'text', text: 'Be kind.' }],
      temperature: 1,
      top_k: 5,
      stop_sequences: ['END'],
      max_tokens: expect.any(Number),
      stream: true,
      tools: [{ name: 'lookup', input_schema: { type: 'object' } }],
    });
  });

  test('for a schema brings an answer of that form, from models that know no schemas as well', async () => {
    const responseSchema = { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } };
    fake.answer(
      { blocks: [{ text: '{"a":1}' }] },
      { blocks: [{ call: { id: 'toolu_1', name: 'json', input: { a: 1 } } }] },
    );
    const old = createAsker('anthropic/claude-3-haiku-20240307', { baseUrl: fake.baseUrl, apiKey: key });
    for (const asked of [ask, old]) {
      const whole = (await asked({ config: { responseSchema } })).at(-1);
      expect(whole?.content?.parts).toEqual([{ text: '{"a":1}' }]);
    }
    expect(fake.requests[0]?.body['output_config']).toMatchObject({ format: { type: 'json_schema' } });
  });

  test('to a model with adaptive thinking has an effort and asks for the thoughts', async () => {
    const newest = createAsker('anthropic/claude-opus-4-8', { baseUrl: fake.baseUrl, apiKey: key });
    await newest({ config: { thinkingConfig: { includeThoughts: true }, temperature: 0.5 } });
    expect(sent()).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'medium' },
    });
    expect(sent()).not.toHaveProperty('temperature');
  });

  test('answers every call before anything else is said, whatever ids the history has', async () => {
    const contents: Content[] = [
      { role: 'model', parts: [{ text: 'I begin' }] },
      {
        role: 'model',
        parts: [
          { text: '\n\n' },
          { functionCall: { name: 'lookup', args: { n: 1 } } },
          { functionCall: { id: 'functions.ask:0', name: 'ask' } },
          { functionCall: { id: 'toolu_9', name: 'ask' } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'functions.ask:0', name: 'ask', response: { r: 2 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'lookup', response: { r: 1 } } }, { text: 'and?' }] },
    ];
    expect((await ask({ contents, config: { tools } })).at(-1)).not.toHaveProperty('errorCode');
    expect(fake.requests[0]?.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        blocks: [{ text: 'I begin' }, { id: 'call_1' }, { id: 'call_2' }, { id: 'toolu_9' }],
      },
      {
        role: 'user',
        blocks: [
          { type: 'tool_result', tool_use_id: 'call_2' },
          { type: 'tool_result', tool_use_id: 'call_1' },
          { type: 'tool_result', tool_use_id: 'toolu_9', content: '{"status":"pending"}' },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  test('shows pictures, documents and files of text', async () => {
    const png = { inlineData: { mimeType: 'image/png', data: '-_8=' } };
    const pdf = { inlineData: { mimeType: 'application/pdf', data: 'AA==', displayName: 'a.pdf' } };
    const csv = { inlineData: { mimeType: 'text/csv', data: Buffer.from('a,b').toString('base64') } };
    const link = { fileData: { fileUri: 'https://x.example/a.png', mimeType: 'image/png' } };
    await ask({ contents: [{ role: 'user', parts: [png, pdf, csv, link] }] });
    expect(fake.requests[0]?.messages[0]?.blocks).toMatchObject([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '+/8=' } },
      { type: 'document', source: { media_type: 'application/pdf' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
      { type: 'image', source: { type: 'url' } },
    ]);
  });

  test('with a file that cannot be sent is refused, naming the kind', async () => {
    const parts = [{ inlineData: { mimeType: 'application/zip', data: 'AA==' } }];
    const [response] = await ask({ contents: [{ role: 'user', parts }] });
    expect(response).toMatchObject({
      errorCode: 'INVALID_ARGUMENT',
      errorMessage: expect.stringContaining('application/zip'),
    });
  });
});
