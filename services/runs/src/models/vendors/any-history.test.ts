import type { Content, Part } from '@google/genai';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../../../../test/fakes/anthropic/index.ts';
import { redact, signThought } from '../../../../../test/fakes/anthropic/signature.ts';
import { type FakeGemini, startFakeGemini } from '../../../../../test/fakes/gemini/index.ts';
import { signPart } from '../../../../../test/fakes/gemini/signature.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../../../../../test/fakes/openai.ts';
import { seal } from '../../../../../test/fakes/openai-responses/answer.ts';
import { type FakeResponses, startFakeResponses } from '../../../../../test/fakes/openai-responses/index.ts';
import { createAsker, tools } from '../../../test/ask-model.ts';
import { keepSignature } from './thought-signature.ts';

const apiKey = 'the key';
const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let anthropic: FakeAnthropic;
let gemini: FakeGemini;
let responses: FakeResponses;

beforeAll(async () => {
  openAi = resources.use(await startFakeOpenAi({ apiKey }));
  anthropic = resources.use(await startFakeAnthropic({ apiKey }));
  gemini = resources.use(await startFakeGemini({ apiKey }));
  responses = resources.use(await startFakeResponses({ apiKey }));
});
afterAll(() => resources.disposeAsync());

const text = fc.constantFrom('hello', '', ' ', '\n\n', '{"a":1}', 'é\u0000\ud83d\ude00');
const id = fc.constantFrom(undefined, 'a', 'b', 'call_1', 'call_2', 'functions.x:0');
const name = fc.constantFrom('lookup', 'ask');
const marks = [
  undefined,
  keepSignature('anthropic', signThought('hm')),
  keepSignature('anthropic-redacted', redact('x')),
  keepSignature('gemini', signPart()),
  keepSignature('openai', `rs_1 ${seal('hm')}`),
] as const;
const signature = fc.constantFrom(...marks);
const withId = <T extends object>(one: T, callId: string | undefined): T & { id?: string } =>
  callId === undefined ? one : { ...one, id: callId };
const signed = (part: Part, thoughtSignature: string | undefined): Part =>
  thoughtSignature === undefined ? part : { ...part, thoughtSignature };

const textPart = text.map((said): Part => ({ text: said }));
const thought = signature.map((mark): Part => signed({ text: 'hm', thought: true }, mark));
const omitted = keepSignature('anthropic', signThought(''));
const hidden = signature.map((mark): Part => signed({ thought: true }, mark === marks[1] ? omitted : mark));
const image = fc.constant<Part>({ inlineData: { mimeType: 'image/png', data: '-_8=' } });
const call = fc
  .tuple(name, id)
  .map(([called, callId]): Part => ({ functionCall: withId({ name: called, args: {} }, callId) }));
const answer = fc
  .tuple(name, id)
  .map(([called, callId]): Part => ({ functionResponse: withId({ name: called, response: { r: 1 } }, callId) }));

const modelContent = fc
  .array(fc.oneof(textPart, thought, hidden, call, image), { maxLength: 4 })
  .map((parts): Content => ({ role: 'model', parts }));
const userContent = fc
  .array(fc.oneof(textPart, answer, image, thought), { maxLength: 4 })
  .map((parts): Content => ({ role: 'user', parts }));
const history = fc
  .array(fc.oneof(modelContent, userContent), { maxLength: 8 })
  .map((contents) => [...contents, { role: 'user', parts: [{ text: 'and now?' }] }]);

describe('a request that no vendor refuses is made of any history, of calls without answers, answers without calls,', () => {
  test.each([
    ['openai/gpt-x', () => openAi],
    ['openai/gpt-5-mini', () => responses],
    ['anthropic/claude-sonnet-4-5', () => anthropic],
    ['gemini-2.5-flash', () => gemini],
    ['gemini-3-flash-preview', () => gemini],
  ])('thoughts and ids of others: %s', async (model, fakeOf) => {
    const openAiApi = fakeOf() === responses ? 'responses' : 'chat';
    const ask = createAsker(model, { baseUrl: fakeOf().baseUrl, apiKey, openAiApi });
    await fc.assert(
      fc.asyncProperty(history, async (contents) => {
        const [response] = await ask({ contents: structuredClone(contents), config: { tools } }, { stream: false });
        expect(response?.errorMessage).toBeUndefined();
        expect(response?.content?.parts).toEqual([{ text: 'ok' }]);
      }),
      { numRuns: 150 },
    );
  });
});
