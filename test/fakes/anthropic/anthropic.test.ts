import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from './index.ts';
import { signThought } from './signature.ts';

const hello: Anthropic.MessageParam = { role: 'user', content: 'hello' };
const ask = { model: 'claude-x', max_tokens: 100, messages: [hello] };
const call = { id: 'toolu_1', name: 'get', input: { a: 1 } };

let fake: FakeAnthropic;
let client: Anthropic;

beforeEach(async () => {
  fake = await startFakeAnthropic({ apiKey: 'sk-right' });
  client = new Anthropic({ apiKey: 'sk-right', authToken: null, baseURL: fake.baseUrl, maxRetries: 0 });
});

afterEach(async () => fake[Symbol.asyncDispose]());

describe('the official client', () => {
  test.each([true, false])('reads text, thoughts and calls, streamed: %s', async (streamed) => {
    fake.answer({ blocks: [{ thinking: ['h', 'm'] }, { redacted: 'x' }, { text: ['a', 'b'] }, { call }] });
    const message = streamed ? await client.messages.stream(ask).finalMessage() : await client.messages.create(ask);
    expect(message).toMatchObject({
      role: 'assistant',
      model: 'claude-x',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm', signature: signThought('hm') },
        { type: 'redacted_thinking' },
        { type: 'text', text: 'ab' },
        { type: 'tool_use', ...call },
      ],
      usage: { input_tokens: 11, output_tokens: 7 },
    });
  });

  test('sends thoughts, calls and tool results back in the next request', async () => {
    fake.answer({ blocks: [{ thinking: 'hm' }, { redacted: 'x' }, { call }] }, { blocks: [{ text: 'done' }] });
    const { content } = await client.messages.create(ask);
    const result: Anthropic.MessageParam = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1' }],
    };
    const messages = [hello, { role: 'assistant' as const, content }, result];
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
    const again = await client.messages.create({ ...ask, max_tokens: 2000, thinking, messages });
    expect(again.content).toMatchObject([{ text: 'done' }]);
  });

  test('throws errors as its own classes', async () => {
    const wrong = new Anthropic({ apiKey: 'sk-wrong', authToken: null, baseURL: fake.baseUrl, maxRetries: 0 });
    await expect(wrong.messages.create(ask)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    const classes = [
      [400, Anthropic.BadRequestError],
      [403, Anthropic.PermissionDeniedError],
      [404, Anthropic.NotFoundError],
      [429, Anthropic.RateLimitError],
      [529, Anthropic.InternalServerError],
    ] as const;
    for (const [status, errorClass] of classes) {
      fake.answer({ status, error: { type: 'some_error', message: 'no' } });
      await expect(client.messages.create(ask)).rejects.toBeInstanceOf(errorClass);
    }
  });

  test('retries after the delay that the fake sends', async () => {
    const patient = client.withOptions({ maxRetries: 1 });
    const headers = { 'retry-after-ms': '20' };
    fake.answer({ status: 529, error: { type: 'overloaded_error', message: 'busy' }, headers });
    expect((await patient.messages.create(ask)).content).toMatchObject([{ text: 'ok' }]);
    expect(fake.received).toBe(2);
  });

  test('throws on an error in mid-stream', async () => {
    fake.answer({ blocks: [{ text: 'a' }], thenError: { type: 'overloaded_error', message: 'busy' } });
    await expect(client.messages.stream(ask).finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });
});

describe('the fake refuses', () => {
  const user = { role: 'user', content: 'x' };
  const used = { role: 'assistant', content: [{ type: 'tool_use', ...call }] };
  const answered = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1' }] };
  const said = (...content: object[]): object => ({ ...ask, messages: [{ role: 'user', content }] });
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const wrong: [string, object][] = [
    ['no max_tokens', { model: 'm', messages: [user] }],
    ['no messages', { ...ask, messages: [] }],
    ['an unknown field', { ...ask, seed: 1 }],
    ['an unknown field of a block', said({ type: 'text', text: 'x', foo: 1 })],
    ['a block without text', said({ type: 'text', text: '' })],
    ['a block of blanks', said({ type: 'text', text: ' \n' })],
    [
      'a picture of no known type',
      said({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AA==' } }),
    ],
    ['a role twice', { ...ask, messages: [user, user] }],
    ['a system role', { ...ask, messages: [{ role: 'system', content: 'x' }, user] }],
    ['an assistant who begins', { ...ask, messages: [{ role: 'assistant', content: 'x' }, user] }],
    ['a call without a result', { ...ask, messages: [user, used, user] }],
    ['a result without a call', { ...ask, messages: [answered] }],
    [
      'a result that is not at the head',
      { ...ask, messages: [user, used, { role: 'user', content: [{ type: 'text', text: 'x' }, ...answered.content] }] },
    ],
    [
      'a thought with a foreign signature',
      {
        ...ask,
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'AA==' }] },
          user,
        ],
      },
    ],
    ['a call without its thought', { ...ask, max_tokens: 2000, thinking, messages: [user, used, answered] }],
    ['a budget that fills the answer', { ...ask, max_tokens: 1024, thinking }],
    ['a temperature over 1', { ...ask, temperature: 1.5 }],
    ['a tool with a bad name', { ...ask, tools: [{ name: 'a b', input_schema: { type: 'object' } }] }],
    ['a tool without an object', { ...ask, tools: [{ name: 'a', input_schema: { type: 'string' } }] }],
    ['a choice without tools', { ...ask, tool_choice: { type: 'auto' } }],
  ];
  const headers = { 'content-type': 'application/json', 'x-api-key': 'sk-right', 'anthropic-version': '2023-06-01' };
  const post = (body: object, over: Record<string, string> = {}): Promise<Response> =>
    fetch(`${fake.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { ...headers, ...over },
      body: JSON.stringify(body),
    });

  test.each(wrong)('%s', async (_what, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(fake.requests).toEqual([]);
  });

  test('other versions, betas, keys and paths', async () => {
    expect((await post(ask)).status).toBe(200);
    expect((await post(ask, { 'anthropic-version': '1999-01-01' })).status).toBe(400);
    expect((await post(ask, { 'anthropic-beta': 'foo-2025-01-01' })).status).toBe(400);
    expect((await post(ask, { 'x-api-key': 'sk-wrong' })).status).toBe(401);
    const { 'anthropic-version': _, ...unversioned } = headers;
    const bare = { method: 'POST', headers: unversioned, body: JSON.stringify(ask) };
    expect((await fetch(`${fake.baseUrl}/v1/messages`, bare)).status).toBe(400);
    expect((await fetch(`${fake.baseUrl}/messages`, { method: 'POST', headers })).status).toBe(404);
  });
});
