import { beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(url);
});

type Run = Record<string, unknown> & { readonly invocationId: string; readonly status: string };

const cancel = (id: string) => caller.request<Run>('POST', `/runs/${id}/cancel`, {});

async function start(session: SessionJson, text: string, over: object): Promise<Run> {
  const { status, body } = await caller.request<Run>('POST', '/runs', runBody(session, text, over));
  expect(status).toBe(202);
  return body;
}

const endless = '[[wait:60000]]';
const runIn = async (session: SessionJson) =>
  (await caller.request<Run[]>('GET', `${sessionPath(session)}/runs`)).body[0];
const statusesOf = async (...sessions: SessionJson[]) =>
  (await Promise.all(sessions.map(runIn))).map((run) => run?.status);

test('of runs with one id in two sessions the older one is cancelled with its session, and answered when it is resumed', async () => {
  const [older, newer] = [await caller.createSession(), await caller.createSession()];
  const invocationId = `cancelled-${older.id}`;
  for (const session of [older, newer]) await start(session, endless, { invocationId });
  expect((await caller.request('POST', `${sessionPath(older)}:cancel`)).status).toBe(200);
  await expect.poll(() => statusesOf(older, newer)).toEqual(['cancelled', 'running']);
  expect((await start(older, 'again', { invocationId })).sessionId).toBe(older.id);
  await cancel(invocationId);
});

test('of runs with one id in two sessions the older one is cancelled when its client leaves', async () => {
  const [older, newer] = [await caller.createSession(), await caller.createSession()];
  const invocationId = `left-${older.id}`;
  const leaving = new AbortController();
  const body = runBody(older, endless, { invocationId, onDisconnect: 'cancel' });
  const sent = caller.fetch('POST', '/run', body, leaving.signal).catch(() => undefined);
  await expect.poll(() => statusesOf(older)).toEqual(['running']);
  await start(newer, endless, { invocationId });
  leaving.abort();
  await sent;
  await expect.poll(() => statusesOf(older, newer)).toEqual(['cancelled', 'running']);
  await cancel(invocationId);
});

test('of runs with one id in two sessions the older one is replayed to a request that is repeated', async () => {
  const [older, newer] = [await caller.createSession(), await caller.createSession()];
  const over = { invocationId: `replayed-${older.id}` };
  const send = async () => {
    const headers = {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      'idempotency-key': over.invocationId,
    };
    const body = JSON.stringify(runBody(older, 'hello', over));
    const response = await fetch(`${url}/run`, { method: 'POST', headers, body });
    return response.text();
  };
  const answer = await send();
  expect(answer).toContain('hello');
  await caller.run(newer, 'other', over);
  expect(await send()).toBe(answer);
});

test('of runs with one id in a session and its copy each is read, watched, answered and cancelled by its session', async () => {
  const session = await caller.createSession();
  const { invocationId } = await start(session, '[[tool:request_input {}]]', {});
  await expect.poll(() => statusesOf(session)).toEqual(['waiting']);
  const { body: copy } = await caller.request<SessionJson>('POST', `${sessionPath(session)}/fork`, { invocationId });
  const waiting = await runIn(session);
  const [call] = (waiting?.['waitingFor'] ?? []) as { functionCallId: string; name: string }[];
  const functionResponse = { id: call?.functionCallId, name: call?.name, response: { result: 'blue' } };
  await caller.run(copy, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
  const send = (method: string, path: string, body?: object) =>
    caller.request<Run & { ticket?: string }>(method, `/runs/${invocationId}${path}`, body);
  const own = `?app=echo&user=u1&session=${session.id}`;

  expect((await send('GET', '')).body).toMatchObject({ sessionId: copy.id, status: 'completed' });
  expect((await send('GET', own)).body).toMatchObject({ sessionId: session.id, status: 'waiting' });
  expect((await send('GET', '?session=none')).body).toMatchObject({ code: 'run_not_found' });
  expect((await send('GET', `/wait${own}`)).body.status).toBe('waiting');
  const message = { newMessage: { parts: [{ text: 'and green' }] } };
  expect((await send('POST', `/messages${own}`, message)).body).toMatchObject({ sessionId: session.id });
  expect((await send('POST', `/messages?session=${copy.id}`, message)).status).toBe(409);

  const [named, newest] = [await send('POST', `/events/ticket${own}`), await send('POST', '/events/ticket')];
  const watch = async (query: string, ticket = '') => {
    const response = await fetch(`${url}/runs/${invocationId}/events${query}&ticket=${ticket}`);
    return response.ok ? response.text() : response.status;
  };
  expect(await watch(own, named.body.ticket)).toContain(`"sessionId":"${session.id}"`);
  expect(await watch('?', newest.body.ticket)).toContain(`"sessionId":"${copy.id}"`);
  expect(await watch(own, newest.body.ticket)).toBe(401);
  expect(await watch('?', named.body.ticket)).toBe(401);

  expect((await send('POST', `/answer${own}`, { functionResponse })).body).toMatchObject({ sessionId: session.id });
  await expect.poll(() => statusesOf(session)).toEqual(['completed']);
});

test("of runs with one id in two sessions each is cancelled by its session, and an end user's token reaches no other one", async () => {
  const [older, newer] = [await caller.createSession(), await caller.createSession()];
  const invocationId = `named-${older.id}`;
  for (const session of [older, newer]) await start(session, endless, { invocationId });
  const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
    name: 'bound',
    scopes: ['runs:read', 'runs:write'],
    user_id: 'u2',
  });
  const path = `/runs/${invocationId}/cancel?session=${older.id}`;
  const bound = new Caller(url, made.body.token);
  expect((await bound.request('POST', path, {})).status).toBe(404);
  expect((await bound.request('POST', `${path}&user=u1`, {})).status).toBe(403);
  const cancelled = await caller.request<Run>('POST', path, {});
  expect(cancelled.body).toMatchObject({ sessionId: older.id, status: 'cancelled' });
  expect(await statusesOf(older, newer)).toEqual(['cancelled', 'running']);
  await cancel(invocationId);
});
