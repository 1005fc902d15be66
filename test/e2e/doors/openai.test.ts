import { randomUUID } from 'node:crypto';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from 'openai/resources/chat';
import { beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount, type SessionJson, textOf } from '../../caller.ts';

const url = inject('meshUrl');
let account: Caller;
let client: OpenAI;

beforeAll(async () => {
  account = await newAccount(url);
  client = clientOf(account);
});

const clientOf = ({ token = 'none' }: Caller) => new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });
const sessionOf = async (id: string, app = 'echo') =>
  (await account.request<SessionJson>('GET', `/apps/${app}/users/user/sessions/${id}`)).body;
const textsOf = ({ events }: SessionJson) =>
  events.map((event) => [event.author, textOf(event)]).filter(([, text]) => text !== '');

async function tokenWith(fields: object): Promise<Caller> {
  const made = await account.request<{ token: string }>('POST', '/api/auth/tokens', { name: 'door', ...fields });
  return new Caller(url, made.body.token);
}

type Streamed = Omit<ChatCompletionCreateParamsStreaming, 'stream'>;

/** Reads a streamed answer. */
async function streamed(body: Streamed) {
  const { data, response } = await client.chat.completions.create({ ...body, stream: true }).withResponse();
  const chunks = [];
  for await (const chunk of data) chunks.push(chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const finish = chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason: reason }) => reason ?? []));
  return {
    chunks,
    deltas,
    finish,
    headers: response.headers,
    text: deltas.map(({ content }) => content ?? '').join(''),
  };
}

test('apps are models, and a chat completion is the answer of an app', async () => {
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toContain('echo');
  expect(await client.models.retrieve('echo')).toMatchObject({ id: 'echo', object: 'model' });
  const made = await client.chat.completions.create({ model: 'echo', messages: [user('Hello, mesh')] }).withResponse();
  const invocationId = made.response.headers.get('x-invocation-id');
  expect(made.data).toMatchObject({
    id: `chatcmpl-${invocationId}`,
    object: 'chat.completion',
    model: 'echo',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello, mesh' } }],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
  });
  const run = await account.request('GET', `/runs/${invocationId}`);
  expect(run.body).toMatchObject({ status: 'completed', userId: 'user', appName: 'echo' });
});

test('a streamed completion says each word once, then its end and the usage', async () => {
  const { chunks, deltas, finish, text } = await streamed({
    model: 'echo',
    messages: [user('[[wait:300]]one two three')],
    stream_options: { include_usage: true },
  });
  expect(deltas[0]).toMatchObject({ role: 'assistant' });
  expect(deltas.filter(({ content }) => content).length).toBeGreaterThan(1);
  expect([text, finish]).toEqual(['one two three', ['stop']]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
});

test('several agents are told in one text, streamed and whole', async () => {
  const messages = [user('both')];
  const whole = await client.chat.completions.create({ model: 'flow', messages });
  const { text } = await streamed({ model: 'flow', messages });
  expect(whole.choices[0]?.message.content).toBe(text);
  expect(text.split('\n\n')).toHaveLength(2);
});

test('a conversation with an id goes on in its session, which gets the new messages only', async () => {
  const id = randomUUID();
  const metadata = { session_id: id };
  const first = [{ role: 'system' as const, content: 'Be brief.' }, user('first')];
  await client.chat.completions.create({ model: 'echo', messages: first, metadata });
  const said = { role: 'assistant' as const, content: 'first' };
  const messages = [...first, said, user('second')];
  const second = await client.chat.completions.create({ model: 'echo', messages, metadata }).withResponse();
  expect(second.response.headers.get('x-session-id')).toBe(id);
  expect(textsOf(await sessionOf(id)).slice(-2)).toEqual([
    ['user', 'second'],
    ['echo', 'second'],
  ]);
  expect(textsOf(await sessionOf(id)).filter(([, text]) => text?.includes('Be brief.'))).toHaveLength(2);
  const headers = { 'x-session-id': id };
  await client.chat.completions.create({ model: 'echo', messages: [user('third')] }, { headers });
  expect(textsOf(await sessionOf(id)).filter(([author]) => author === 'user')).toHaveLength(3);
});

test('a transcript without an id begins a session that has its earlier messages', async () => {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    user('first'),
    { role: 'assistant', content: 'said before' },
    user('second'),
  ];
  const { data, response } = await client.chat.completions.create({ model: 'echo', messages }).withResponse();
  expect(data.choices[0]?.message.content).toBe('second');
  const session = await sessionOf(response.headers.get('x-session-id') ?? '');
  expect(session.events[0]?.content?.parts).toMatchObject([{ text: 'Be brief.' }, { text: 'first' }]);
  expect(textsOf(session).slice(1)).toEqual([
    ['echo', 'said before'],
    ['user', 'second'],
    ['echo', 'second'],
  ]);
});

test('images, audio and files reach the app; others are refused by their place', async () => {
  const data = Buffer.from('bytes').toString('base64');
  const content = [
    { type: 'text' as const, text: 'look' },
    { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${data}` } },
    { type: 'image_url' as const, image_url: { url: 'https://example.com/a.webp?x=1' } },
    { type: 'input_audio' as const, input_audio: { data, format: 'wav' as const } },
    { type: 'file' as const, file: { file_data: `data:application/pdf;base64,${data}`, filename: 'a.pdf' } },
  ];
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content }];
  const { response } = await client.chat.completions.create({ model: 'echo', messages }).withResponse();
  const session = await sessionOf(response.headers.get('x-session-id') ?? '');
  expect(session.events[0]?.content?.parts).toMatchObject([
    { text: 'look' },
    { inlineData: { mimeType: 'image/png', data } },
    { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp?x=1' } },
    { inlineData: { mimeType: 'audio/wav', data } },
    { inlineData: { mimeType: 'application/pdf', data, displayName: 'a.pdf' } },
  ]);
  const wrong = [
    { type: 'image_url', image_url: { url: 'http://example.com/a.png' } },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'input_audio', input_audio: { data: '!!', format: 'wav' } },
    { type: 'video' },
  ];
  for (const part of wrong) {
    const body = { model: 'echo', messages: [{ role: 'user', content: [part] }] };
    const refused = await account.request<{ error: object }>('POST', '/v1/chat/completions', body);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ param: expect.stringMatching(/^messages\.0\.content\.0/) });
  }
});

test('a run that waits is answered by the messages of its tools, streamed and whole', async () => {
  const messages = [user('[[state:paid=yes]]')];
  const asked = await client.chat.completions.create({ model: 'approve', messages }).withResponse();
  const [choice] = asked.data.choices;
  expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
  const [call] = choice?.message.tool_calls ?? [];
  expect(call).toMatchObject({ type: 'function', function: { name: 'adk_request_confirmation' } });
  const sessionId = asked.response.headers.get('x-session-id') ?? '';
  const output = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: '{"confirmed": true}' };
  const answer = [...messages, choice?.message as ChatCompletionMessageParam, output];
  const { text, finish, headers } = await streamed({ model: 'approve', messages: answer });
  expect([headers.get('x-invocation-id'), finish]).toEqual([asked.response.headers.get('x-invocation-id'), ['stop']]);
  expect(text).not.toBe('');
  expect((await sessionOf(sessionId, 'approve')).state).toMatchObject({ paid: 'yes' });
  const again = client.chat.completions.create({ model: 'approve', messages: answer });
  await expect(again).rejects.toMatchObject({ status: 409, code: 'run_not_waiting' });
  const stranger = clientOf(await newAccount(url)).chat.completions.create({ model: 'approve', messages: answer });
  await expect(stranger).rejects.toMatchObject({ status: 404, code: 'run_not_found' });
  const streamedAsk = await streamed({ model: 'approve', messages });
  expect(streamedAsk.finish).toEqual(['tool_calls']);
  expect(streamedAsk.deltas.flatMap(({ tool_calls: calls = [] }) => calls)).toHaveLength(1);
});

test('an answer with a key that is sent again is told again', async () => {
  const messages = [user('[[tool:request_input {}]] thanks')];
  const { choices } = await client.chat.completions.create({ model: 'echo', messages });
  const tool_call_id = choices[0]?.message.tool_calls?.[0]?.id ?? '';
  const body = { model: 'echo', messages: [...messages, { role: 'tool' as const, tool_call_id, content: 'blue' }] };
  const headers = { 'idempotency-key': randomUUID() };
  const first = await client.chat.completions.create(body, { headers });
  const second = await client.chat.completions.create(body, { headers }).withResponse();
  expect(second.response.headers.get('idempotency-replayed')).toBe('true');
  expect(second.data.choices).toEqual(first.choices);
});

test('a request with a key that is sent again starts no second run', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const messages: ChatCompletionMessageParam[] = [user('a'), { role: 'assistant', content: 'b' }, user('c')];
  const [one, two] = await Promise.all(
    [1, 2].map(() => client.chat.completions.create({ model: 'echo', messages }, { headers })),
  );
  expect(two?.id).toBe(one?.id);
  expect(two?.choices).toEqual(one?.choices);
  const other = client.chat.completions.create({ model: 'echo', messages: [user('d')] }, { headers });
  await expect(other).rejects.toMatchObject({ status: 400, code: 'idempotency_key_reused' });
});

test('a failed run is an error with its text, and an error frame of a stream', async () => {
  const messages = [user('[[fail:out of ideas]]')];
  const whole = await client.chat.completions.create({ model: 'echo', messages }).catch((error: unknown) => error);
  expect(whole).toMatchObject({ status: 500, code: 'ECHO_FAIL', type: 'server_error' });
  expect(String(whole)).toContain('out of ideas');
  expect((whole as InstanceType<typeof OpenAI.APIError>).headers?.get('x-should-retry')).toBe('false');
  await expect(streamed({ model: 'echo', messages })).rejects.toMatchObject({ code: 'ECHO_FAIL' });
});

test('the run of a client that leaves goes on', async () => {
  const messages = [user('[[wait:700]] late')];
  const body = { model: 'echo', messages, stream: true as const };
  const { data, response } = await client.chat.completions.create(body).withResponse();
  data.controller.abort();
  const run = `/runs/${response.headers.get('x-invocation-id')}`;
  await expect.poll(async () => (await account.request('GET', run)).body).toMatchObject({ status: 'completed' });
});

test('requests without a token, a scope or an own user are refused', async () => {
  const messages = [user('hello')];
  const none = client.withOptions({ apiKey: 'wrong' }).chat.completions.create({ model: 'echo', messages });
  await expect(none).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
  const reader = clientOf(await tokenWith({ scopes: ['runs:read'] }));
  const unscoped = reader.chat.completions.create({ model: 'echo', messages });
  await expect(unscoped).rejects.toMatchObject({ status: 403, type: 'permission_error' });
  const bound = clientOf(await tokenWith({ scopes: ['runs:write'], user_id: 'u1' }));
  const foreign = bound.chat.completions.create({ model: 'echo', messages, user: 'u2' });
  await expect(foreign).rejects.toMatchObject({ status: 403 });
  const { response } = await bound.chat.completions.create({ model: 'echo', messages }).withResponse();
  const run = await account.request('GET', `/runs/${response.headers.get('x-invocation-id')}`);
  expect(run.body).toMatchObject({ userId: 'u1' });
});

test('the stream of a token that is revoked ends, and its run goes on', async () => {
  const token = await tokenWith({ scopes: ['runs:write'] });
  const body = { model: 'echo', messages: [user('one [[wait:6000]]two')], stream: true as const };
  const { data, response } = await clientOf(token).chat.completions.create(body).withResponse();
  const reading = (async () => {
    for await (const { choices } of data) if (choices[0]?.finish_reason === 'stop') return 'stop';
    return undefined;
  })();
  const ended = reading.catch((error: unknown) => error);
  await new Caller(url, token.token).request('DELETE', '/api/auth/tokens/current');
  expect(await ended).toMatchObject({ type: 'authentication_error' });
  const run = await account.request('GET', `/runs/${response.headers.get('x-invocation-id')}`);
  expect(run.body).toMatchObject({ status: 'running' });
});

test('requests that are wrong or too large name their fault, and a refused one leaves no session', async () => {
  const messages: ChatCompletionMessageParam[] = [user('a'), { role: 'assistant', content: 'b' }, user('c')];
  const session_id = randomUUID();
  const unknown = client.chat.completions.create({ model: 'nobody', messages, metadata: { session_id } });
  await expect(unknown).rejects.toMatchObject({ status: 404, code: 'app_not_found' });
  expect((await account.request('GET', `/apps/nobody/users/user/sessions/${session_id}`)).status).toBe(404);
  const refused: [string, object][] = [
    ['messages', { messages: [] }],
    ['messages', { messages: [{ role: 'assistant', content: 'b' }] }],
    ['messages.0.role', { messages: [{ role: 'robot', content: 'b' }] }],
    ['model', { model: 7 }],
    ['metadata.session_id', { metadata: { session_id: '' } }],
    ['n', { n: 2 }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['logprobs', { logprobs: true }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'x' }] }],
  ];
  for (const [param, fields] of refused) {
    const body = { model: 'echo', messages: [user('x')], ...fields };
    const answer = await account.request('POST', '/v1/chat/completions', body);
    expect({ fields, ...answer }).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param } },
    });
  }
  const ignored = { temperature: 0, seed: 1, tools: [], n: 1, response_format: { type: 'text' }, new_field: {} };
  const body = { model: 'echo', messages: [user('x')], ...ignored };
  expect((await account.request('POST', '/v1/chat/completions', body)).status).toBe(200);
  const large = { model: 'echo', messages: [user('x'.repeat(60_000_000))] };
  expect(await account.request('POST', '/v1/chat/completions', large)).toMatchObject({
    status: 413,
    body: { error: { type: 'invalid_request_error' } },
  });
});

test('the AI SDK talks to an app as to every server with this API', async () => {
  const mesh = createOpenAICompatible({ name: 'mesh', baseURL: `${url}/v1`, apiKey: account.token ?? '' });
  const model = mesh.chatModel('echo');
  const { text, finishReason } = await generateText({ model, prompt: 'Hello, mesh' });
  expect([text, finishReason]).toEqual(['Hello, mesh', 'stop']);
  const words = await Array.fromAsync(streamText({ model, prompt: '[[wait:300]]one two' }).textStream);
  expect(words.join('')).toBe('one two');
});
