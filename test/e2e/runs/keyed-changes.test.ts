import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(url);
});

interface Kept {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly body: Record<string, unknown>;
}

async function post(path: string, body: object, key: string): Promise<Kept> {
  const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body: JSON.stringify(body) };
  const response = await fetch(url + path, init);
  const isReplayed = response.headers.get('idempotency-replayed') === 'true';
  return { status: response.status, isReplayed, body: (await response.json()) as Record<string, unknown> };
}

/** Sends a request four times at once and once more. Checks that all are answered alike, and that one had the effect. */
async function postOften(path: string, body: object, key = randomUUID()): Promise<Kept> {
  const together = await Promise.all(Array.from({ length: 4 }, () => post(path, body, key)));
  const answers = [...together, await post(path, body, key)];
  const [first] = answers.filter(({ isReplayed }) => !isReplayed);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => first?.status));
  expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(4);
  return first ?? expect.fail('no answer');
}

interface Run {
  readonly invocationId: string;
  readonly status: string;
  readonly attempt: number;
  readonly waitingFor?: readonly { readonly functionCallId: string; readonly name: string }[];
}

const read = async (id: string) => (await caller.request<Run>('GET', `/runs/${id}`)).body;

async function wait(): Promise<Run & { readonly session: SessionJson }> {
  const session = await caller.createSession();
  const { headers } = await caller.run(session, '[[tool:request_input {}]]');
  return { ...(await read(headers.get('x-invocation-id') ?? '')), session };
}

test('an answer with a key counts once, also when the run is over; another one with the key is refused', async () => {
  const { invocationId, waitingFor = [] } = await wait();
  const [{ functionCallId: id, name } = { functionCallId: '', name: '' }] = waitingFor;
  const answer = (result: string) => ({ functionResponse: { id, name, response: { result } } });
  const path = `/runs/${invocationId}/answer`;
  const key = randomUUID();
  expect(await post(path, answer('x'), `${key}x`.repeat(9))).toMatchObject({ status: 422 });
  expect(await postOften(path, answer('yes'), key)).toMatchObject({ status: 202 });
  await expect.poll(() => read(invocationId)).toMatchObject({ status: 'completed', attempt: 2 });
  expect(await post(path, answer('yes'), key)).toMatchObject({ status: 202, isReplayed: true });
  expect(await post(path, answer('no'), key)).toMatchObject({ status: 422 });
  const late = { status: 409, body: { code: 'run_not_waiting' } };
  expect(await post(path, answer('yes'), randomUUID())).toMatchObject(late);
});

test('a run is cancelled once, and a message is added to it once', async () => {
  const session = await caller.createSession();
  const { body } = await caller.request<Run>('POST', '/runs', runBody(session, 'first [[wait:60000]]'));
  const path = `/runs/${body.invocationId}`;
  const events = async () => (await caller.readSession(session)).events.length;
  await expect.poll(events).toBe(1);
  const key = randomUUID();
  const message = (text: string) => ({ newMessage: { parts: [{ text }] } });
  expect(await postOften(`${path}/messages`, message('more'), key)).toMatchObject({ status: 202 });
  expect(await post(`${path}/messages`, message('other'), key)).toMatchObject({ status: 422 });
  expect(await events()).toBe(2);
  expect(await postOften(`${path}/cancel`, {}, key)).toMatchObject({ status: 200 });
  await expect.poll(async () => (await read(body.invocationId)).status).toBe('cancelled');
});

test('a session is rewound once and copied once, also when runs wait in it', async () => {
  const { session, invocationId } = await wait();
  const before = (await caller.readSession(session)).events.length;
  const path = sessionPath(session);
  const copied = await postOften(`${path}/fork`, { invocationId });
  const of = `/apps/${session.appName}/users/${session.userId}/sessions`;
  expect((await caller.request<SessionJson[]>('GET', of)).body.map(({ id }) => id)).toContain(copied.body['id']);
  expect(await postOften(`${path}/rewind`, { rewindBeforeInvocationId: invocationId })).toMatchObject({ status: 200 });
  // The run is cancelled and the session rewound, each with an event.
  expect((await caller.readSession(session)).events).toHaveLength(before + 2);
  expect(await read(invocationId)).toMatchObject({ status: 'cancelled' });
});
