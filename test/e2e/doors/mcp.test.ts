import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { call, mcpClients, post, say, textsOf, tokenOf, toldBy } from './mcp-clients.ts';

const resources = new AsyncDisposableStack();
const { connect, connectModern } = mcpClients(resources);
let ada: Caller;

beforeAll(async () => {
  ada = await newAccount(inject('meshUrl'));
});
afterAll(() => resources.disposeAsync());

const eras = { older: connect, newer: connectModern } as const;

test.each(Object.entries(eras))(
  'with the %s protocol apps are tools, and a call is answered with what the app says',
  async (_, open) => {
    const client = await open(ada);
    const { tools } = await client.listTools();
    const echo = tools.find(({ name }) => name === 'echo');
    expect(echo).toMatchObject({ description: 'Says what it hears.', inputSchema: { type: 'object' } });
    expect(JSON.stringify(tools)).not.toMatch(/"x-|pattern/);
    const result = await client.callTool(say('one two'));
    const told = toldBy(result);
    expect([textsOf(result), told]).toEqual([
      ['one two'],
      { text: 'one two', status: 'completed', session_id: expect.any(String), run_id: expect.any(String) },
    ]);
    expect(result.isError).not.toBe(true);
  },
);

test.each(Object.entries(eras))(
  'with the %s protocol a second call goes on in the session that the first one names',
  async (_, open) => {
    const client = await open(ada, '/mcp/echo');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    const { session_id } = toldBy(await client.callTool(say('first', { user: 'u7' })));
    expect(toldBy(await client.callTool(say('second', { user: 'u7', session_id }))).session_id).toBe(session_id);
    const { body } = await ada.request('GET', `/apps/echo/users/u7/sessions/${session_id}`);
    expect(JSON.stringify(body)).toMatch(/first.*second/);
  },
);

test.each(Object.entries(eras))(
  'with the %s protocol a caller who asks for progress hears of calls and of the text so far',
  async (_, open) => {
    const client = await open(ada);
    const messages: (string | undefined)[] = [];
    const numbers: number[] = [];
    const onprogress = ({ progress, message }: { progress: number; message?: string | undefined }) => {
      messages.push(message);
      numbers.push(progress);
    };
    const call = say('[[tool:get_current_time {}]][[wait:300]]and so on');
    const result =
      client instanceof Client
        ? await client.callTool(call, undefined, { onprogress })
        : await client.callTool(call, { onprogress });
    expect(messages).toContain('Calls get_current_time.');
    expect(messages.length).toBeGreaterThan(1);
    expect(numbers).toEqual(numbers.map((__, index) => index + 1));
    expect(toldBy(result).status).toBe('completed');
  },
);

test('a run that fails is an error with the text of the mesh, and the connection goes on', async () => {
  const client = await connect(ada);
  const failed = await client.callTool(say('[[fail:no more words]]'));
  expect(failed).toMatchObject({ isError: true, structuredContent: { status: 'failed', error_code: 'ECHO_FAIL' } });
  expect(textsOf(failed).join()).toContain('no more words');
  expect(textsOf(await client.callTool(say('again')))).toEqual(['again']);
});

test.each([
  [{}, 'Either message or answer is required'],
  [{ message: 7 }, 'message: Input should be a valid string'],
  [{ message: 'x', sesion_id: 's' }, "Did you mean 'session_id'"],
  [{ message: 'x', session_id: 'a\0b' }, 'session_id: '],
  [{ message: 'x', session_id: 'x'.repeat(513) }, 'session_id: '],
  [{ answer: { run_id: 'r', call_id: 'c' } }, 'answer.response: Field required'],
  [{ answer: { run_id: 'e-unknown', call_id: 'c', response: {} } }, 'e-unknown'],
])('arguments %j are an error that says what is wrong', async (args, text) => {
  const client = await connect(ada);
  const result = await client.callTool({ name: 'echo', arguments: args });
  expect(result.isError).toBe(true);
  expect(textsOf(result).join()).toContain(text);
});

test('a tool that there is not is refused as the protocol says', async () => {
  const client = await connect(ada, '/mcp/echo');
  await expect(client.callTool({ name: 'approve', arguments: { message: 'x' } })).rejects.toThrow(
    'Unknown tool: approve',
  );
});

test.each(Object.entries(eras))(
  'with the %s protocol a run that waits for approval says how to answer, and goes on with the answer',
  async (_, open) => {
    const client = await open(ada);
    const waits = await client.callTool({ name: 'approve', arguments: { message: '[[state:paid=yes]]', user: 'u8' } });
    const told = toldBy(waits);
    expect(waits.isError).not.toBe(true);
    expect(told).toMatchObject({ status: 'waiting', waiting_for: [{ name: 'adk_request_confirmation' }] });
    const asked = textsOf(waits).join('\n');
    expect(asked).toContain('Approve the call of set_state');
    const shown = /^\{.*"answer".*\}\}/m.exec(asked)?.[0] ?? '';
    const went = await client.callTool({ name: 'approve', arguments: JSON.parse(shown) as Record<string, unknown> });
    expect(toldBy(went)).toMatchObject({ status: 'completed', run_id: told.run_id, session_id: told.session_id });
    const session = await ada.request<{ state: object }>('GET', `/apps/approve/users/u8/sessions/${told.session_id}`);
    expect(session.body.state).toMatchObject({ paid: 'yes' });
    const again = await client.callTool({ name: 'approve', arguments: JSON.parse(shown) as Record<string, unknown> });
    expect(again.isError).toBe(true);
  },
);

test.each([
  ['accepts', { action: 'accept', content: { confirmed: true } }, 'completed', { paid: 'yes' }],
  ['declines', { action: 'decline' }, 'completed', {}],
  ['closes the form', { action: 'cancel' }, 'waiting', {}],
] as const)('a client that can ask its user does: one who %s', async (_, answer, status, state) => {
  const client = await connectModern(ada, '/mcp/approve', { elicitation: { form: {} } });
  const questions: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return answer;
  });
  const told = toldBy(await client.callTool({ name: 'approve', arguments: { message: '[[state:paid=yes]]' } }));
  expect(questions).toEqual([expect.stringContaining('set_state')]);
  expect(told.status).toBe(status);
  const session = await ada.request<{ state: object }>('GET', `/apps/approve/users/user/sessions/${told.session_id}`);
  expect(session.body.state).toEqual(state);
});

test('an app of the mesh uses another one as its tool', async () => {
  const token = await tokenOf(ada, { scopes: ['runs:write'] });
  const folder = join(inject('agentsDir'), `asker_${randomUUID().slice(0, 8)}`);
  resources.defer(() => rm(folder, { recursive: true }));
  await mkdir(folder);
  const params = { url: `${ada.url}/mcp/echo`, headers: { authorization: `Bearer ${token}` }, timeout: 60 };
  const tools = [{ name: 'MCPToolset', args: { streamable_http_connection_params: params } }];
  const agent = { name: basename(folder), model: 'echo/default', tools };
  await writeFile(join(folder, 'root_agent.yaml'), JSON.stringify(agent));
  const session = await ada.createSession(basename(folder));
  const asked = '[[tool:echo {"message":"from afar","user":"u9"}]]';
  const said = async () => JSON.stringify((await ada.run(session, asked)).body);
  await expect.poll(said).toContain('"status":"completed"');
  expect((await ada.request<unknown[]>('GET', '/apps/echo/users/u9/sessions')).body).not.toEqual([]);
});

test('a call that is repeated with its key is answered with the first run', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const runIds = [1, 2].map(
    async (id) => /"run_id":"([^"]+)"/.exec((await post(ada, call(id), { headers })).text)?.[1],
  );
  const [first, second] = await Promise.all(runIds);
  expect(first).toMatch(/./);
  expect(second).toBe(first);
});

test('an answer that is repeated with its key is answered as the first time', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const approve = async (args: object, sent = {}) => {
    const message = { ...call(1), params: { name: 'approve', arguments: args } };
    const { text } = await post(ada, message, { headers: sent });
    return JSON.parse(/^data: (.*"result".*)$/m.exec(text)?.[1] ?? text) as { result: object };
  };
  const { run_id, waiting_for } = toldBy((await approve({ message: '[[state:paid=yes]]' })).result);
  const answer = { run_id, call_id: waiting_for?.[0]?.call_id, response: { confirmed: true } };
  const first = await approve({ answer }, headers);
  expect(toldBy(first.result)).toMatchObject({ status: 'completed', run_id });
  expect(await approve({ answer }, headers)).toEqual(first);
});

/** Begins a long run and returns its id when its agent has spoken. */
async function begun(session_id: string): Promise<string> {
  const list = () =>
    ada.request<{ invocationId: string; status: string }[]>('GET', `/runs?app=echo&user=user&session=${session_id}`);
  await expect.poll(async () => (await list()).body[0]?.status).toBe('running');
  return (await list()).body[0]?.invocationId ?? '';
}

test.each([
  ['older', 'goes on', connect, 'completed'],
  ['newer', 'is cancelled', connectModern, 'cancelled'],
] as const)('with the %s protocol the run of a client that closes its stream %s', async (_, __, open, status) => {
  const client = await open(ada);
  const session_id = randomUUID();
  const called = client.callTool(say('[[wait:2000]]late', { session_id }));
  called.catch(() => undefined);
  const run = await begun(session_id);
  await client.close();
  await expect
    .poll(async () => (await ada.request<{ status: string }>('GET', `/runs/${run}`)).body.status)
    .toBe(status);
});

test('with the older protocol a client cancels its call by its number, and no other one of the account', async () => {
  const [client, other] = [await connect(ada), await connect(ada)];
  const [session_id, kept] = [randomUUID(), randomUUID()];
  const leaving = new AbortController();
  const call = say('[[wait:20000]]late', { session_id });
  const called = client.callTool(call, undefined, { signal: leaving.signal });
  called.catch(() => undefined);
  const goesOn = other.callTool(say('[[wait:1500]]there', { session_id: kept }));
  const run = await begun(session_id);
  await begun(kept);
  leaving.abort();
  const status = async () => (await ada.request<{ status: string }>('GET', `/runs/${run}`)).body.status;
  await expect.poll(status).toBe('cancelled');
  expect(toldBy(await goesOn)).toMatchObject({ text: 'there', status: 'completed' });
  expect(textsOf(await client.callTool(say('next', { session_id })))).toEqual(['next']);
});

test('a call ends within seconds after its token was revoked, and its run goes on', async () => {
  const { body } = await ada.request<{ id: string; token: string }>('POST', '/api/auth/tokens', {
    name: 'a token',
    scopes: ['runs:write'],
  });
  const client = await connectModern(new Caller(ada.url, body.token));
  const session_id = randomUUID();
  const called = client.callTool(say('[[wait:6000]]late', { session_id }));
  const run = await begun(session_id);
  expect((await ada.fetch('DELETE', `/api/auth/tokens/${body.id}`)).status).toBeLessThan(300);
  const ended = await called;
  expect([ended.isError, textsOf(ended).join()]).toEqual([
    true,
    expect.stringContaining('credential of this call was revoked'),
  ]);
  const read = async () => (await ada.request<{ status: string }>('GET', `/runs/${run}`)).body.status;
  await expect.poll(read).toBe('completed');
});
