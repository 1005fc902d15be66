import { randomUUID } from 'node:crypto';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { answered, chunksOf, messageOf, openChat, says, tokenOf, toolsOf } from './chat-client.ts';

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

test('a token of an end user reaches the chats of its user alone, and an account those of each user', async () => {
  const own = chatOf({ body: { user: 'u1' } });
  await own.send([says('mine')]);
  await expect(chatOf({ body: { user: 'u2' } }).ask([says('hi')])).rejects.toMatchObject({
    statusCode: 403,
    message: 'This token is bound to another user_id.',
  });
  for (const [method, path] of [
    ['GET', 'stream'],
    ['POST', 'stop'],
  ] as const)
    expect((await bound.fetch(method, `/api/chat/echo/${own.chatId}/${path}?user=u2`)).status).toBe(403);
  const theirs = chatOf({ caller: account, body: { user: 'u2' } });
  await theirs.send([says('theirs')]);
  expect(await theirs.runs('u2')).toHaveLength(1);
  const nobodys = chatOf({ caller: account });
  await nobodys.send([says('hi')]);
  expect(await nobodys.runs('user')).toHaveLength(1);
  const named = `${url}/api/chat/echo?user=u3`;
  const headers = { authorization: `Bearer ${account.token}` };
  const transport = new DefaultChatTransport({ api: named, headers });
  const asked = { trigger: 'submit-message', messageId: undefined, abortSignal: undefined } as const;
  const chatId = randomUUID();
  const stream = await transport.sendMessages({ ...asked, chatId, messages: [says('[[wait:60000]]')] });
  await stream.cancel();
  const again = await transport.reconnectToStream({ chatId });
  expect(again).not.toBeNull();
  await again?.cancel();
  expect((await account.fetch('POST', `/api/chat/echo/${chatId}/stop?user=u3`)).status).toBe(200);
});

test('a stream ends with the token of its page, and says so', async () => {
  const made = { name: 'page', scopes: ['runs:write'], user_id: 'u1' };
  const { body } = await account.request<{ id: string; token: string }>('POST', '/api/auth/tokens', made);
  const { chatId, ask } = chatOf({ caller: new Caller(url, body.token) });
  const chunks = chunksOf(await ask([says('[[wait:60000]]')]));
  await account.request('DELETE', `/api/auth/tokens/${body.id}`);
  expect((await chunks).at(-1)).toEqual({ type: 'error', errorText: 'The credential of this stream was revoked.' });
  expect((await bound.fetch('POST', `/api/chat/echo/${chatId}/stop`)).status).toBe(200);
});

test('a chat of another account is not seen, stopped or answered', async () => {
  const stranger = await newAccount(url);
  const { chatId, ask, send } = chatOf({ app: 'approve' });
  const question = says('[[state:paid=yes]]');
  const asking = await send([question]);
  const path = `/api/chat/approve/${chatId}`;
  expect((await stranger.fetch('GET', `${path}/stream?user=u1`)).status).toBe(204);
  expect((await stranger.fetch('POST', `${path}/stop?user=u1`)).status).toBe(204);
  const foreign = chatOf({ app: 'approve', caller: stranger, body: { user: 'u1' }, chatId });
  await expect(foreign.ask([question, answered(asking, true)])).rejects.toMatchObject({ statusCode: 404 });
  const done = await messageOf(await ask([question, answered(asking, true)]), answered(asking, true));
  expect(toolsOf(done)).toMatchObject([{ state: 'output-available' }]);
});

test('errors before the stream are sentences, which useChat shows to people', async () => {
  const nobody = new Caller(url);
  await expect(chatOf({ caller: nobody }).ask([says('hi')])).rejects.toMatchObject({ statusCode: 401 });
  const reader = await tokenOf(account, { scopes: ['runs:read'], user_id: 'u1' });
  await expect(chatOf({ caller: reader }).ask([says('hi')])).rejects.toMatchObject({
    statusCode: 403,
    message: 'Needs runs:write.',
  });
  await expect(chatOf({ app: 'no-such-app' }).ask([says('hi')])).rejects.toMatchObject({
    statusCode: 404,
    message: expect.stringMatching(/^[^{]*no-such-app[^}]*$/),
  });
  await expect(chatOf({ chatId: 'x'.repeat(600) }).ask([says('hi')])).rejects.toMatchObject({
    statusCode: 422,
    message: expect.stringMatching(/^id: /),
  });
  await expect(chatOf().ask([])).rejects.toMatchObject({
    statusCode: 422,
    message: expect.stringMatching(/^messages: /),
  });
  const system = { id: 's', role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] } as UIMessage;
  await expect(chatOf().ask([system])).rejects.toMatchObject({ statusCode: 400 });
  await expect(chatOf().ask([says('x'.repeat(21 * 1024 * 1024))])).rejects.toMatchObject({
    statusCode: 413,
    message: 'The request body is too large.',
  });
});

test('an address that begins like data and never has any is refused at once, whatever its length', async () => {
  const heads = ['a', ';', 'a;'].map((piece) => `data:${piece.repeat(4_000_000)}`);
  for (const url of heads) {
    const message = says('hi', { type: 'file', mediaType: 'text/plain', url });
    await expect(chatOf().ask([message])).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('The url of a file is a data: URL in base64'),
    });
  }
});
