import { createParser } from 'eventsource-parser';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { makeAgent } from './make-agent.ts';

const url = inject('meshUrl');

interface Notification {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly message: string;
  readonly read: boolean;
  readonly invocation_id: string;
}
interface List {
  readonly notifications: Notification[];
  readonly unread_count: number;
}

let ada: Caller;
beforeAll(async () => {
  ada = await newAccount(url);
});

const list = async (caller = ada, query = ''): Promise<List> =>
  (await caller.request<List>('GET', `/api/notifications${query}`)).body;
const start = async (id: number, message: string): Promise<string> =>
  (await ada.request<{ invocation_id: string }>('POST', `/api/agents/${id}/run`, { message })).body.invocation_id;

test('each run in the background makes one notification, also a failed one; a watched run makes none', async () => {
  const id = await makeAgent(ada, { agent_name: 'notified' });
  await ada.run(await ada.createSession(`agent${id}`), 'watched');
  const good = await start(id, 'good');
  await expect.poll(() => list()).toMatchObject({ unread_count: 1 });
  const bad = await start(id, '[[fail:no luck]]');
  await expect.poll(() => list()).toMatchObject({ unread_count: 2 });
  expect((await list()).notifications).toMatchObject([
    { type: 'run_failed', title: 'notified', message: 'no luck', invocation_id: bad, read: false },
    { type: 'run_completed', title: 'notified', invocation_id: good, read: false, app_name: `agent${id}` },
  ]);
  const [failed, completed] = (await list()).notifications;
  const read = await ada.request<Notification>('PATCH', `/api/notifications/${failed?.id}/read`);
  expect(read).toMatchObject({ status: 200, body: { id: failed?.id, read: true } });
  expect((await ada.request('GET', '/api/notifications/unread-count')).body).toEqual({ count: 1, unread_count: 1 });
  expect((await list(ada, '?unread_only=true')).notifications.map((one) => one.id)).toEqual([completed?.id]);
  expect((await list(ada, `?before_id=${failed?.id}&limit=1`)).notifications.map((one) => one.id)).toEqual([
    completed?.id,
  ]);
  const next = (await ada.fetch('GET', '/api/notifications?limit=1')).headers.get('x-next-cursor');
  expect((await list(ada, `?limit=1&cursor=${next}`)).notifications.map((one) => one.id)).toEqual([completed?.id]);
  for (const last of ['limit=2', `limit=1&cursor=${next}`]) {
    const { headers } = await ada.fetch('GET', `/api/notifications?${last}`);
    expect([headers.get('x-next-cursor'), headers.get('link')]).toEqual([null, null]);
  }
  expect((await ada.request('POST', '/api/notifications/read-all')).body).toEqual({ marked: 1 });
  expect((await list()).unread_count).toBe(0);
});

test('a run that POST /runs starts makes one too, also when the request is repeated', async () => {
  const eve = await newAccount(url);
  const { appName, userId, id: sessionId } = await eve.createSession('echo');
  const body = { appName, userId, sessionId, newMessage: { role: 'user', parts: [{ text: 'alone' }] } };
  const headers = { authorization: `Bearer ${eve.token}`, 'content-type': 'application/json', 'idempotency-key': 'k' };
  const post = () => fetch(`${url}/runs`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { invocationId } = (await (await post()).json()) as { invocationId: string };
  const made = { type: 'run_completed', title: 'echo', invocation_id: invocationId };
  await expect.poll(() => list(eve)).toMatchObject({ unread_count: 1, notifications: [made] });
  expect((await post()).headers.get('idempotency-replayed')).toBe('true');
  expect((await list(eve)).unread_count).toBe(1);
});

test('another account sees none of them, and cannot mark them', async () => {
  const bob = await newAccount(url);
  const [one] = (await list()).notifications;
  expect(await list(bob)).toEqual({ notifications: [], unread_count: 0 });
  expect((await bob.request('PATCH', `/api/notifications/${one?.id}/read`)).status).toBe(404);
  expect((await bob.request('PATCH', '/api/notifications/9007199254740991/read')).status).toBe(404);
  expect((await bob.request('PATCH', '/api/notifications/x/read')).status).toBe(422);
});

test('the stream sends a notification when it is made', async () => {
  const id = await makeAgent(ada, { agent_name: 'streamed' });
  const leaving = new AbortController();
  const response = await ada.fetch('GET', '/api/notifications/stream', undefined, leaving.signal);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const seen: Notification[] = [];
  const parser = createParser({ onEvent: ({ data }) => seen.push(JSON.parse(data) as Notification) });
  const invocationId = await start(id, 'now');
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      parser.feed(chunk);
      if (seen.length > 0) break;
    }
  } finally {
    leaving.abort();
  }
  expect(seen).toMatchObject([{ type: 'run_completed', title: 'streamed', invocation_id: invocationId }]);
});
