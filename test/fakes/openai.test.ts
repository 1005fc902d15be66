import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeOpenAi, startFakeOpenAi } from './openai.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hello' }];
const call = { id: 'call_1', name: 'get', arguments: '{"a":1}' };

let fake: FakeOpenAi;
let client: OpenAI;

beforeEach(async () => {
  fake = await startFakeOpenAi({ apiKey: 'sk-right' });
  client = new OpenAI({ apiKey: 'sk-right', baseURL: fake.baseUrl, maxRetries: 0 });
});

afterEach(async () => fake[Symbol.asyncDispose]());

describe('the official client', () => {
  test('reads a whole completion', async () => {
    fake.answer({ text: 'hi' });
    const completion = await client.chat.completions.create({ model: 'm', messages });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'hi' },
    });
    expect(completion.usage?.total_tokens).toBe(18);
    expect(fake.requests[0]).toMatchObject({ model: 'm', stream: false, messages });
  });

  test('assembles a stream of text and usage', async () => {
    fake.answer({ text: ['a', 'b', 'c'] });
    const stream = client.chat.completions.stream({ model: 'm', messages, stream_options: { include_usage: true } });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe('abc');
    expect(completion.usage?.prompt_tokens).toBe(11);
  });

  test.each([true, false])('reads tool calls, streamed: %s', async (streamed) => {
    fake.answer({ toolCalls: [call, { ...call, id: 'call_2' }] });
    const body = { model: 'm', messages };
    const completion = streamed
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } },
      { id: 'call_2' },
    ]);
  });

  test('throws errors as its own classes', async () => {
    const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: fake.baseUrl, maxRetries: 0 });
    await expect(wrong.chat.completions.create({ model: 'm', messages })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    const classes = [
      [400, OpenAI.BadRequestError],
      [404, OpenAI.NotFoundError],
      [429, OpenAI.RateLimitError],
      [503, OpenAI.InternalServerError],
    ] as const;
    for (const [status, errorClass] of classes) {
      fake.answer({ status, error: { message: 'no', code: 'some_code' } });
      const failure = client.chat.completions.create({ model: 'm', messages });
      await expect(failure).rejects.toBeInstanceOf(errorClass);
      await expect(failure).rejects.toMatchObject({ status, code: 'some_code' });
    }
  });

  test('retries after the delay that the fake sends', async () => {
    const patient = new OpenAI({ apiKey: 'sk-right', baseURL: fake.baseUrl, maxRetries: 1 });
    fake.answer({ status: 429, error: { message: 'slow down' }, headers: { 'retry-after-ms': '20' } }, { text: 'now' });
    const completion = await patient.chat.completions.create({ model: 'm', messages });
    expect(completion.choices[0]?.message.content).toBe('now');
    expect(fake.received).toBe(2);
  });

  test('throws on an error in mid-stream', async () => {
    const body = 'data: {"error":{"message":"overloaded"}}\n\n';
    fake.answer({ contentType: 'text/event-stream', body });
    await expect(client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()).rejects.toBeInstanceOf(
      OpenAI.APIError,
    );
  });

  test('throws a connection error for a broken connection', async () => {
    fake.answer('break');
    const failure = client.chat.completions.create({ model: 'm', messages });
    await expect(failure).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
  });
});

describe('the fake refuses', () => {
  const assistant = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get', arguments: '{}' } }],
  };
  const answered = { role: 'tool', tool_call_id: 'call_1', content: '1' };
  const wrong: [string, object][] = [
    ['no model', { messages }],
    ['no messages', { model: 'm', messages: [] }],
    ['an unknown argument', { model: 'm', messages, mesages: [] }],
    ['a role nobody has', { model: 'm', messages: [{ role: 'model', content: 'x' }] }],
    ['a call without an answer', { model: 'm', messages: [...messages, assistant, ...messages] }],
    ['an answer without a call', { model: 'm', messages: [...messages, answered] }],
    ['a second answer', { model: 'm', messages: [...messages, assistant, answered, answered] }],
    ['stream options without a stream', { model: 'm', messages, stream_options: { include_usage: true } }],
    ['a tool with a bad name', { model: 'm', messages, tools: [{ type: 'function', function: { name: 'a b' } }] }],
  ];

  test.each(wrong)('%s', async (_what, body) => {
    const response = await fetch(`${fake.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-right' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(fake.requests).toEqual([]);
  });

  test('a wrong path', async () => {
    expect((await fetch(fake.baseUrl, { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
