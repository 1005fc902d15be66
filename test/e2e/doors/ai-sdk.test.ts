import { randomUUID } from 'node:crypto';
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage, type UIMessageChunk } from 'ai';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { answered, chunksOf, messageOf, openChat, says, textsOf, tokenOf, toolsOf } from './chat-client.ts';

const url = inject('meshUrl');
let account: Caller;
/** In the browser of the end user `u1`. */
let bound: Caller;

beforeAll(async () => {
  account = await newAccount(url);
  bound = await tokenOf(account, { scopes: ['runs:write', 'runs:read'], user_id: 'u1' });
});

type Options = Parameters<typeof openChat>[1] & { readonly caller?: Caller };

function chatOf({ caller = bound, ...options }: Options = {}) {
  const chat = openChat(caller, options);
  const app = options.app ?? 'echo';
  const runs = async (user = 'u1') => {
    const path = `/apps/${app}/users/${user}/sessions/${chat.chatId}/runs`;
    return (await account.request<{ status: string }[]>('GET', path)).body;
  };
  return { ...chat, runs };
}

test('a chat is a session, and its messages are runs that are answered word by word', async () => {
  const { chatId, ask, send } = chatOf();
  const first = says('Hello, [[wait:1000]]mesh');
  const chunks = await chunksOf(await ask([first]));
  expect(chunks.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1);
  expect(chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')).toBe('Hello, mesh');
  const answer: UIMessage = { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hello, mesh' }] };
  const again = await send([first, answer, says('again')]);
  expect(textsOf(again)).toEqual(['again']);
  expect(again.metadata).toMatchObject({ runId: again.id, status: 'completed', usage: { modelCalls: 1 } });
  const session = await account.request<{ events: { author: string }[] }>(
    'GET',
    `/apps/echo/users/u1/sessions/${chatId}`,
  );
  expect(session.body.events.map(({ author }) => author)).toEqual(['user', 'echo', 'user', 'echo']);
});

test('calls of tools have their inputs and outputs, or errors, each in a step before what is said of them', async () => {
  const message = await chatOf().send([says('[[state:mine=1]][[state:app:motd=owned]] and on')]);
  const tools = toolsOf(message);
  expect(tools).toMatchObject([
    { toolName: 'set_state', state: 'output-available', input: { key: 'mine' }, output: { key: 'mine' } },
    { toolName: 'set_state', state: 'output-error', errorText: expect.stringContaining('cannot set app: state') },
  ]);
  const kinds = message.parts.map(({ type }) => type);
  expect(kinds.lastIndexOf('step-start')).toBeGreaterThan(kinds.lastIndexOf('dynamic-tool'));
  expect(textsOf(message).join('')).toContain('and on');
});

test('a bound token chats on although a tool has answered it with app: keys', async () => {
  const output = { 'app:motd': 'hello' };
  const tool = {
    type: 'dynamic-tool',
    toolName: 'look',
    toolCallId: 'c1',
    state: 'output-available',
    input: {},
    output,
  };
  const old = { id: 'a1', role: 'assistant', parts: [tool] } as UIMessage;
  expect(textsOf(await chatOf().send([says('hi'), old, says('on')]))).toEqual(['on']);
});

test('an approval is asked for and answered in the chat, and the run goes on in its message', async () => {
  const { send, ask, chatId } = chatOf({ app: 'approve' });
  const question = says('[[state:paid=yes]]');
  const asking = await send([question]);
  expect(toolsOf(asking)).toMatchObject([{ toolName: 'set_state', state: 'approval-requested' }]);
  const approved = answered(asking, true);
  expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [question, approved] })).toBe(true);
  const answer = await messageOf(await ask([question, approved], { messageId: asking.id }), approved);
  expect(answer.id).toBe(asking.id);
  expect(toolsOf(answer)).toMatchObject([{ state: 'output-available', output: { value: 'yes' } }]);
  expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [question, answer] })).toBe(false);
  const session = await account.request('GET', `/apps/approve/users/u1/sessions/${chatId}`);
  expect(session.body).toMatchObject({ state: { paid: 'yes' } });
  await expect(ask([question, approved])).rejects.toMatchObject({
    statusCode: 409,
    message: 'The chat waits for no answer any more.',
  });
});

test('an answer that is repeated with its key is answered as the first time', async () => {
  const { send, ask, runs } = chatOf({ app: 'approve' });
  const question = says('[[state:paid=yes]]');
  const asking = await send([question]);
  const approved = answered(asking, true);
  const headers = { 'idempotency-key': randomUUID() };
  const answer = async () =>
    messageOf(await ask([question, approved], { headers, messageId: asking.id }), structuredClone(approved));
  const first = await answer();
  expect(toolsOf(first)).toMatchObject([{ state: 'output-available' }]);
  expect(await answer()).toEqual(first);
  expect(await runs()).toMatchObject([{ status: 'completed' }]);
  const rejected = ask([question, answered(asking, false)], { headers });
  await expect(rejected).rejects.toMatchObject({ statusCode: 422 });
});

test('a call that is rejected is not made', async () => {
  const { send, ask, chatId } = chatOf({ app: 'approve' });
  const question = says('[[state:paid=yes]]');
  const rejected = answered(await send([question]), false);
  const answer = await messageOf(await ask([question, rejected]), rejected);
  expect(toolsOf(answer)).toMatchObject([{ state: 'output-error', errorText: 'This tool call is rejected.' }]);
  const session = await account.request('GET', `/apps/approve/users/u1/sessions/${chatId}`);
  expect(session.body).not.toHaveProperty('state.paid');
});

test('an input that a tool waits for is the output of the tool in the chat', async () => {
  const { send, ask, runs } = chatOf();
  const question = says('[[tool:request_input {"message":"Which date?"}]]');
  const asking = await send([question]);
  expect(toolsOf(asking)).toMatchObject([{ toolName: 'request_input', state: 'input-available' }]);
  expect(asking.metadata).toMatchObject({ status: 'waiting' });
  const parts = asking.parts.map((part) =>
    part.type === 'dynamic-tool' ? { ...part, state: 'output-available', output: '1 May' } : part,
  );
  const given = { ...asking, parts: parts as UIMessage['parts'] };
  const answer = await messageOf(await ask([question, given]), given);
  expect(toolsOf(answer)).toMatchObject([{ state: 'output-available', output: { result: '1 May' } }]);
  expect(await runs()).toMatchObject([{ status: 'completed' }]);
});

test('files are sent as bytes or as addresses, and others are refused by their place', async () => {
  const { chatId, send, ask } = chatOf();
  const png = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,/+8=' } as const;
  const far = { type: 'file', mediaType: 'text/plain', url: 'https://files.example/a.txt' } as const;
  await send([says('look', png, far)]);
  const { body } = await account.request<{ events: { content: { parts: object[] } }[] }>(
    'GET',
    `/apps/echo/users/u1/sessions/${chatId}`,
  );
  expect(body.events[0]?.content.parts).toMatchObject([
    { text: 'look' },
    { inlineData: { data: '_-8=', mimeType: 'image/png' } },
    { fileData: { fileUri: 'https://files.example/a.txt', mimeType: 'text/plain' } },
  ]);
  for (const url of ['blob:https://page.example/1', 'data:text/plain,hello', 'data:text/plain;base64,a'])
    await expect(ask([says('look', { type: 'file', mediaType: 'text/plain', url })])).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^messages\.0\.parts\.1: .*base64/),
    });
});

test('a message whose request is repeated runs once, and runs again when it is to be answered anew', async () => {
  const { send, runs } = chatOf();
  const message = says('once');
  const first = await send([message]);
  expect(await send([message])).toMatchObject({ id: first.id });
  expect(await runs()).toHaveLength(1);
  const anew = await send([message], { trigger: 'regenerate-message', messageId: first.id });
  expect([anew.id === first.id, ...textsOf(anew)]).toEqual([false, 'once']);
  // An edited message keeps its id.
  await send([message], { messageId: message.id });
  expect(await runs()).toHaveLength(3);
  const headers = { 'idempotency-key': randomUUID() };
  const keyed = await send([says('keyed')], { headers });
  await expect(send([says('other')], { headers })).rejects.toMatchObject({ statusCode: 422 });
  expect(keyed.id).not.toBe(first.id);
});

test('a run goes on when its page leaves, is shown again from its beginning, and is stopped by its chat', async () => {
  const { transport, chatId, ask, runs } = chatOf();
  expect(await transport.reconnectToStream({ chatId })).toBeNull();
  const leaving = new AbortController();
  const stream = await ask([says('first [[wait:60000]] second')], { abortSignal: leaving.signal });
  await untilSaid(stream, 'first');
  leaving.abort();
  const again = await transport.reconnectToStream({ chatId });
  const told = messageOf(again);
  const stopped = await bound.request('POST', `/api/chat/echo/${chatId}/stop`);
  expect(stopped).toMatchObject({ status: 200, body: { id: chatId, status: 'cancelled' } });
  expect(textsOf(await told).join('')).toContain('first');
  expect(await runs()).toMatchObject([{ status: 'cancelled' }]);
  expect((await bound.request('POST', `/api/chat/echo/${chatId}/stop`)).status).toBe(204);
  expect(await transport.reconnectToStream({ chatId })).toBeNull();
});

async function untilSaid(stream: ReadableStream<UIMessageChunk>, text: string): Promise<void> {
  const reader = stream.getReader();
  for (let said = ''; !said.includes(text); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`it ended with ${said}`);
    if (value.type === 'text-delta') said += value.delta;
  }
}

test('a run that fails is an error with the text of the mesh, and a cancelled one an abort', async () => {
  await expect(chatOf().send([says('[[fail:no luck]]')])).rejects.toThrow(/^no luck$/);
  const { ask, chatId } = chatOf();
  const chunks = chunksOf(await ask([says('[[wait:60000]]')]));
  await bound.request('POST', `/api/chat/echo/${chatId}/stop`);
  expect((await chunks).slice(-2)).toEqual([{ type: 'abort' }, { type: 'finish', finishReason: 'interrupted' }]);
});
