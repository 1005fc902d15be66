import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { call, initialize, mcpClients, post, say, textsOf, tokenOf, toldBy } from './mcp-clients.ts';

const resources = new AsyncDisposableStack();
const { connect } = mcpClients(resources);
let ada: Caller;
let bob: Caller;

beforeAll(async () => {
  [ada, bob] = await Promise.all([newAccount(inject('meshUrl')), newAccount(inject('meshUrl'))]);
});
afterAll(() => resources.disposeAsync());

test.each([
  ['a text that is no JSON', '{"jsonrpc":', 400, '-32700'],
  ['an empty body', '', 400, 'error'],
  ['null', 'null', 400, 'error'],
  ['a number', '7', 400, '-32600'],
  ['an object that is no message', '{"a":1}', 400, 'error'],
  ['an empty batch', '[]', 400, 'error'],
  ['a batch of two calls', [call(1), call(2)], 400, 'send each call by itself'],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, '-32601'],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, 202, ''],
  ['an answer that nobody waits for', { jsonrpc: '2.0', id: 9, result: {} }, 202, ''],
  ['a first message', initialize, 200, '"tools":{}'],
])('%s is answered as the protocol says', async (_, body, status, text) => {
  const answer = await post(ada, body);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
});

test('a version of the protocol that nobody speaks, another media type, and other methods are refused', async () => {
  expect(await post(ada, call(1), { headers: { 'mcp-protocol-version': '1999-01-01' } })).toMatchObject({
    status: 400,
  });
  expect(await post(ada, call(1), { headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 415 });
  expect(await post(ada, call(1), { headers: { accept: 'application/json' } })).toMatchObject({ status: 406 });
  for (const method of ['GET', 'DELETE']) {
    for (const path of ['/mcp', '/mcp/echo']) expect((await ada.fetch(method, path)).status).toBe(405);
  }
});

test('refusals of credentials, scopes, apps and sizes come before the protocol, as its errors', async () => {
  const none = await post(ada, initialize, { headers: { authorization: '' } });
  expect([none.status, none.challenge]).toEqual([401, 'Bearer']);
  expect(JSON.parse(none.text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.any(String) } });
  const weak = new Caller(ada.url, await tokenOf(ada, { scopes: ['apps:read'] }));
  expect(await post(weak, initialize)).toMatchObject({
    status: 403,
    text: expect.stringContaining('Needs runs:write.'),
  });
  expect(await post(ada, initialize, { path: '/mcp/nowhere' })).toMatchObject({
    status: 404,
    text: expect.stringContaining('nowhere'),
  });
  expect(await post(ada, 'x'.repeat(21 * 1024 * 1024))).toMatchObject({ status: 413 });
});

test('a token that is bound to an end user acts for that user only, and answers no run of another one', async () => {
  const bound = new Caller(ada.url, await tokenOf(ada, { scopes: ['runs:write', 'runs:read'], user_id: 'u5' }));
  const client = await connect(bound);
  const own = toldBy(await client.callTool(say('mine')));
  const { body } = await ada.request('GET', `/runs/${own.run_id}`);
  expect(body).toMatchObject({ userId: 'u5' });
  const foreign = await client.callTool(say('not mine', { user: 'u6' }));
  expect([foreign.isError, textsOf(foreign)]).toEqual([true, ['This token is bound to another user_id.']]);
  const waits = toldBy(
    await (await connect(ada)).callTool({ name: 'approve', arguments: { message: '[[state:a=b]]' } }),
  );
  const [asked] = waits.waiting_for ?? [];
  const answer = { run_id: waits.run_id, call_id: asked?.call_id, response: { confirmed: true } };
  expect((await client.callTool({ name: 'approve', arguments: { answer } })).isError).toBe(true);
  expect((await ada.request('GET', `/runs/${waits.run_id}`)).body).toMatchObject({ status: 'waiting' });
});

test('accounts are walls: another one sees neither apps, nor sessions, nor runs', async () => {
  const id = await makeAgent(ada, { agent_name: 'private', agent_tools: ['set_state'], confirm_tools: ['set_state'] });
  const names = (await (await connect(bob)).listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain(`agent${id}`);
  expect((await post(bob, initialize, { path: `/mcp/agent${id}` })).status).toBe(404);
  const { session_id } = toldBy(await (await connect(ada)).callTool(say('secret of ada')));
  await (await connect(bob)).callTool(say('mine', { session_id }));
  const { body } = await bob.request('GET', `/apps/echo/users/user/sessions/${session_id}`);
  expect(JSON.stringify(body)).not.toContain('secret');
  const waits = toldBy(
    await (await connect(ada)).callTool({ name: 'approve', arguments: { message: '[[state:a=b]]' } }),
  );
  const answer = { run_id: waits.run_id, call_id: waits.waiting_for?.[0]?.call_id, response: { confirmed: true } };
  const result = await (await connect(bob)).callTool({ name: 'approve', arguments: { answer } });
  expect(result.isError).toBe(true);
  expect((await ada.request('GET', `/runs/${waits.run_id}`)).body).toMatchObject({ status: 'waiting' });
});
