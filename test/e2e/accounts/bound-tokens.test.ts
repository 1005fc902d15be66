import type { EventJson, JsonObject } from '@agentmesh/proto/event';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount, type SessionJson, sessionPath, textOf } from '../../caller.ts';
import { post } from '../doors/mcp-clients.ts';

const url = inject('meshUrl');
const scopes = [
  'sessions:read',
  'sessions:write',
  'runs:write',
  'memory:read',
  'memory:write',
  'artifacts:read',
  'artifacts:write',
];
const refusal = 'A token that is bound to a user_id cannot set app: state.';
const free = { 'app:tier': 'gold' };
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const a2aMessage = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };

let account: Caller;
/** Reaches the end user `u1` alone. */
let program: Caller;

beforeAll(async () => {
  account = await newAccount(url);
  const made = await account.request<{ token: string }>('POST', '/api/auth/tokens', {
    name: 'bound',
    scopes,
    user_id: 'u1',
  });
  program = new Caller(url, made.body.token);
});

async function sessionOf(userId: string, app: string): Promise<SessionJson> {
  const { body } = await account.request<SessionJson>('POST', `/apps/${app}/users/${userId}/sessions`, {});
  return body;
}

/** Answers of tools. */
const answersIn = (events: readonly EventJson[]): unknown[] =>
  events
    .flatMap(({ content }) => content?.parts ?? [])
    .flatMap((part) => {
      const { functionResponse } = part as { functionResponse?: { response?: JsonObject } };
      return functionResponse === undefined ? [] : [functionResponse.response];
    });

describe('a token that is bound to an end user', () => {
  test('cannot set app state through an agent; the tool shows an error, and the run goes on', async () => {
    const own = await sessionOf('u1', 'echo');
    const { status, body } = await program.run(own, '[[state:app:motd=owned]][[state:mine=1]] and on');
    expect(status).toBe(200);
    expect(answersIn(body)).toContainEqual({ error: refusal });
    expect(answersIn(body)).toContainEqual(expect.objectContaining({ key: 'mine' }));
    expect(textOf(body.at(-1))).toContain('and on');
    const streamed = await program.runSse(own, '[[state:app:motd=owned]] again');
    expect(JSON.stringify(streamed)).toContain(refusal);
    expect(Object.keys((await account.readSession(own)).state)).toEqual(['mine']);
    expect((await sessionOf('u2', 'echo')).state).toEqual({});
    // The account itself may.
    expect((await account.run(own, '[[state:app:motd=hello]]')).status).toBe(200);
    expect((await sessionOf('u2', 'echo')).state).toEqual({ 'app:motd': 'hello' });
  });

  test('cannot set app state by a request', async () => {
    const own = await sessionOf('u1', 'echo');
    const refused = { status: 403, body: { detail: refusal } };
    expect(await program.run(own, 'hi', { stateDelta: { 'app:x': 1 } })).toMatchObject(refused);
    expect(await program.request('POST', '/apps/echo/users/u1/sessions', { state: { 'app:x': 1 } })).toMatchObject(
      refused,
    );
    expect(await program.request('PATCH', sessionPath(own), { stateDelta: { 'app:x': 1 } })).toMatchObject(refused);
  });

  test.each([
    ['/v1/chat/completions', { model: 'echo', messages: [{ role: 'user', content: 'hi' }], metadata: free }],
    ['/v1/responses', { model: 'echo', input: 'hi', metadata: free }],
    ['/a2a/echo', rpc('message/send', { message: a2aMessage, metadata: free })],
    ['/mcp/echo', rpc('tools/call', { name: 'echo', arguments: { message: 'hi' }, _meta: free })],
  ])('may send app: keys to %s in data of its own, which sets no state', async (path, body) => {
    const answer = await post(program, body, { path });
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining(refusal)]);
    expect((await sessionOf('u2', 'echo')).state).not.toHaveProperty('app:tier');
  });

  test('gets no answer that was kept for an Idempotency-Key of the account', async () => {
    const theirs = await sessionOf('u2', 'echo');
    const body = { appName: 'echo', userId: 'u2', sessionId: theirs.id, newMessage: { parts: [{ text: 'a secret' }] } };
    const run = (await account.request<{ invocationId: string }>('POST', '/runs', body)).body.invocationId;
    const cancel = async ({ token = '' }: Caller) => {
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `cancel ${run}` };
      const answer = await fetch(`${url}/runs/${run}/cancel`, { method: 'POST', headers });
      return { status: answer.status, body: (await answer.json()) as object };
    };
    expect(await cancel(account)).toMatchObject({ status: 200, body: { invocationId: run } });
    expect(await cancel(program)).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
  });

  test('has Idempotency-Keys of its own for runs', async () => {
    const [own, theirs] = [await sessionOf('u1', 'echo'), await sessionOf('u2', 'echo')];
    const key = crypto.randomUUID();
    const start = async ({ token = '' }: Caller, userId: string, { id: sessionId }: SessionJson) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key };
      const body = JSON.stringify({ appName: 'echo', userId, sessionId, newMessage: { parts: [{ text: 'hi' }] } });
      const answer = await fetch(`${url}/runs`, { method: 'POST', headers, body });
      return [answer.status, answer.headers.get('idempotency-replayed')];
    };
    expect(await start(account, 'u2', theirs)).toEqual([202, null]);
    expect(await start(program, 'u1', own)).toEqual([202, null]);
    expect(await start(program, 'u1', own)).toEqual([202, 'true']);
    expect(await start(account, 'u1', own)).toEqual([422, null]);
  });

  test('reads no memory of another user, by a route or by an agent', async () => {
    const theirs = await sessionOf('u2', 'remember');
    expect((await account.run(theirs, 'the secret is tangerine')).status).toBe(200);
    const stored = await account.request('PATCH', '/apps/remember/users/u2/memory', { sessionId: theirs.id });
    expect(stored.status).toBe(200);
    expect((await program.request('GET', '/apps/remember/users/u2/memory?query=tangerine')).status).toBe(403);
    expect((await program.request('PATCH', '/apps/remember/users/u2/memory', { sessionId: theirs.id })).status).toBe(
      403,
    );
    const load = '[[tool:load_memory {"query":"tangerine secret"}]]';
    const own = await program.run(await sessionOf('u1', 'remember'), load);
    expect([own.status, answersIn(own.body).length]).toEqual([200, 1]);
    expect(JSON.stringify(answersIn(own.body))).not.toContain('the secret is');
    const other = await account.run(await sessionOf('u2', 'remember'), load);
    expect(JSON.stringify(answersIn(other.body))).toContain('the secret is');
  });

  test('reads no artifact of another user, by a route, a reference or an agent', async () => {
    const theirs = await sessionOf('u2', 'librarian');
    const artifact = { filename: 'user:plan.txt', artifact: { text: 'the plan of u2' } };
    expect((await account.request('POST', `${sessionPath(theirs)}/artifacts`, artifact)).status).toBe(200);
    expect((await program.request('GET', `${sessionPath(theirs)}/artifacts/user:plan.txt`)).status).toBe(403);
    const own = await sessionOf('u1', 'librarian');
    expect((await program.request('GET', `${sessionPath(own)}/artifacts/user:plan.txt`)).status).toBe(404);
    const fileUri = `artifact://apps/librarian/users/u2/sessions/${theirs.id}/artifacts/user:plan.txt/versions/0`;
    const reference = { filename: 'stolen', artifact: { fileData: { fileUri } } };
    expect((await program.request('POST', `${sessionPath(own)}/artifacts`, reference)).status).toBe(400);
    const loaded = await program.run(own, '[[tool:load_artifacts {"artifact_names":["user:plan.txt"]}]]');
    expect([loaded.status, JSON.stringify(loaded.body).includes('the plan of u2')]).toEqual([200, false]);
  });
});
