import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';

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
