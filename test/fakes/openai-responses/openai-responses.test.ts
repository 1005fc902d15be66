import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seal } from './answer.ts';
import { type FakeResponses, startFakeResponses } from './index.ts';

const ask = { model: 'gpt-5-mini', input: 'hello' };
const call = { id: 'call_1', name: 'get', arguments: '{"a":1}' };

let fake: FakeResponses;
let client: OpenAI;

beforeEach(async () => {
  fake = await startFakeResponses({ apiKey: 'sk-right' });
  client = new OpenAI({ apiKey: 'sk-right', baseURL: fake.baseUrl, maxRetries: 0 });
});

afterEach(async () => fake[Symbol.asyncDispose]());

describe('the official client', () => {
  test.each([true, false])('reads text, thoughts and calls, streamed: %s', async (streamed) => {
    fake.answer({ items: [{ reasoning: 'x', summary: ['h', 'm'] }, { text: ['a', 'b'] }, { call }] });
    const response = streamed ? await client.responses.stream(ask).finalResponse() : await client.responses.create(ask);
    expect(response).toMatchObject({ status: 'completed', output_text: 'ab', usage: { total_tokens: 18 } });
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'h' }, { text: 'm' }], encrypted_content: seal('x') },
      { type: 'message', content: [{ type: 'output_text', text: 'ab' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get', arguments: '{"a":1}' },
    ]);
  });

  test('sends thoughts, calls and their outputs back in the next request', async () => {
    fake.answer({ items: [{ reasoning: 'x' }, { call }] });
    const { output } = await client.responses.create({ ...ask, store: false });
    const answer = { type: 'function_call_output' as const, call_id: 'call_1', output: '1' };
    const input = [{ role: 'user' as const, content: 'hello' }, ...output, answer] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ ...ask, store: false, input })).output_text).toBe('ok');
  });

  test('reports a refusal and an incomplete response, and throws errors as its own classes', async () => {
    fake.answer({ items: [{ refusal: 'no' }] }, { items: [{ text: 'a' }], incomplete: 'max_output_tokens' });
    expect((await client.responses.create(ask)).output).toMatchObject([{ content: [{ type: 'refusal' }] }]);
    expect(await client.responses.create(ask)).toMatchObject({ status: 'incomplete' });
    const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: fake.baseUrl, maxRetries: 0 });
    await expect(wrong.responses.create(ask)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    fake.answer({ status: 429, error: { message: 'no', code: 'rate_limit_exceeded' } });
    await expect(client.responses.create(ask)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});

describe('the fake refuses', () => {
  const used = { type: 'function_call', call_id: 'call_1', name: 'get', arguments: '{}' };
  const answered = { type: 'function_call_output', call_id: 'call_1', output: '1' };
  const wrong: [string, object][] = [
    ['no input', { model: 'm' }],
    ['an unknown parameter', { ...ask, messages: [] }],
    ['a role nobody has', { ...ask, input: [{ role: 'tool', content: 'x' }] }],
    ['content of the other side', { ...ask, input: [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }] }],
    ['a call without an output', { ...ask, input: [used] }],
    ['an output without a call', { ...ask, input: [answered] }],
    ['a thought that is not sealed', { ...ask, store: false, input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }],
    ['a temperature for a model that thinks', { ...ask, temperature: 1 }],
    ['thought of a model that does not', { ...ask, model: 'gpt-4o', reasoning: { effort: 'low' } }],
    ['a tool with a bad name', { ...ask, tools: [{ type: 'function', name: 'a b', parameters: { type: 'object' } }] }],
  ];

  test.each(wrong)('%s', async (_what, body) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-right' };
    const response = await fetch(`${fake.baseUrl}/responses`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(400);
    expect(fake.requests).toEqual([]);
  });
});
