import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(url);
});

interface Run {
  readonly invocationId: string;
  readonly status: string;
  readonly output?: unknown;
  readonly usage?: { readonly seconds?: number; readonly toolCalls?: number };
  readonly waitingFor?: readonly { readonly functionCallId: string; readonly name: string }[];
}

async function start(text: string, session?: SessionJson): Promise<string> {
  const of = session ?? (await caller.createSession());
  const { status, body } = await caller.request<Run>('POST', '/runs', runBody(of, text));
  expect(status).toBe(202);
  return body.invocationId;
}

const wait = (id: string, seconds: number, by = caller) =>
  by.request<Run>('GET', `/runs/${id}/wait?seconds=${seconds}`);

test('the record of a run that has ended has the last answer, and the seconds that it took', async () => {
  const id = await start('hello there');
  expect(await wait(id, 30)).toMatchObject({ status: 200, body: { status: 'completed', output: 'hello there' } });
  const { body } = await caller.request<Run>('GET', `/runs/${id}`);
  expect(body).toMatchObject({ output: 'hello there', usage: { seconds: expect.any(Number) } });
  const [listed] = (await caller.request<Run[]>('GET', '/runs?limit=1')).body;
  expect(listed).not.toHaveProperty('output');
});

test('an answer that is a JSON object is one in the record', async () => {
  const { body } = await wait(await start('{"total": 3, "rows": ["a"]}'), 30);
  expect(body.output).toEqual({ total: 3, rows: ['a'] });
});

test('of an answer that is too long the record names the event', async () => {
  const session = await caller.createSession();
  const { body } = await wait(await start('x'.repeat(70_000), session), 30);
  const { events } = await caller.readSession(session);
  expect(body.output).toEqual({ truncated: true, eventId: events.at(-1)?.id });
});

test('waiting for a run answers 202 after the time, 200 at its end, and nothing to others', async () => {
  const id = await start('[[wait:60000]] done');
  // No whole number of milliseconds.
  const early = await wait(id, 0.2505);
  expect(early).toMatchObject({ status: 202, body: { status: 'running' } });
  expect(early.body).not.toHaveProperty('output');
  const waiting = wait(id, 30);
  await caller.request('POST', `/runs/${id}/cancel`, {});
  expect(await waiting).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  expect((await wait(id, 1, await newAccount(url))).status).toBe(404);
  expect((await wait(id, 61)).status).toBe(422);
});

test('waiting for a run ends when it waits for a person, and an approved call counts once', async () => {
  const id = await start('[[state:paid=yes]]', await caller.createSession('approve'));
  const { status, body } = await wait(id, 30);
  expect([status, body.status]).toEqual([200, 'waiting']);
  const [call] = body.waitingFor ?? [];
  const functionResponse = { id: call?.functionCallId, name: call?.name, response: { confirmed: true } };
  expect((await caller.request('POST', `/runs/${id}/answer`, { functionResponse })).status).toBe(202);
  await expect.poll(async () => (await wait(id, 30)).body.status).toBe('completed');
  expect((await wait(id, 0)).body.usage).toMatchObject({ toolCalls: 1 });
});
