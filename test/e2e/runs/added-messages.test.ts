import { randomUUID } from 'node:crypto';
import type { EventJson } from '@agentmesh/proto/event';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath, textOf } from '../../caller.ts';

let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

type Run = Record<string, unknown> & { readonly invocationId: string; readonly status: string };

const patience = { timeout: 30_000 };

async function start(session: SessionJson, text: string): Promise<string> {
  const { status, body } = await caller.request<Run>('POST', '/runs', runBody(session, text));
  expect(status).toBe(202);
  return body.invocationId;
}

function add(id: string, text: string, by = caller) {
  return by.request<Run>('POST', `/runs/${id}/messages`, { newMessage: { parts: [{ text }] } });
}

const statusOf = async (id: string) => (await caller.request<Run>('GET', `/runs/${id}`)).body.status;
const eventsOf = async (session: SessionJson) => (await caller.readSession(session)).events;

describe('POST /runs/{id}/messages', () => {
  test('adds a message that the agent answers in the same run', async () => {
    const run = async (ms: number) => {
      const session = await caller.createSession();
      const id = await start(session, `first [[wait:${ms}]]`);
      await expect.poll(async () => (await eventsOf(session)).length, patience).toBeGreaterThan(0);
      return { session, id, added: await add(id, 'second') };
    };
    let done = await run(1_000);
    // On a busy machine the run may be over when its message comes: then another one waits longer.
    for (const ms of [4_000, 16_000]) if (done.added.body.status !== 'running') done = await run(ms);
    const { session, id, added } = done;
    expect(added).toMatchObject({ status: 202, body: { invocationId: id, status: 'running' } });
    await expect.poll(() => statusOf(id), patience).toBe('completed');
    const events = await eventsOf(session);
    expect(events.map((event) => textOf(event).trim().split(' ')[0])).toEqual(['first', 'second', 'first', 'second']);
    expect(new Set(events.map(({ invocationId }) => invocationId))).toEqual(new Set([id]));
    expect(await add(id, 'late')).toMatchObject({ status: 409, body: { code: 'run_over' } });
    expect((await caller.request<Run[]>('GET', `${sessionPath(session)}/runs`)).body).toHaveLength(1);
  });

  test('extends the message of a run that waits for its turn', async () => {
    const session = await caller.createSession();
    const running = await start(session, '[[wait:60000]]');
    const waiting = await start(session, 'two');
    expect(await add(waiting, 'more')).toMatchObject({ status: 202, body: { status: 'queued', queuePosition: 1 } });
    await caller.request('POST', `/runs/${running}/cancel`, {});
    await expect.poll(() => statusOf(waiting), patience).toBe('completed');
    expect((await eventsOf(session))[2]?.content?.parts).toEqual([{ text: 'two' }, { text: 'more' }]);
  });

  test('shows what a run with such a message says to a request that is repeated with its key', async () => {
    const session = await caller.createSession();
    const running = await start(session, '[[wait:60000]]');
    const headers = {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const request = { method: 'POST', headers, body: JSON.stringify(runBody(session, 'two')) };
    const ask = async () => (await (await fetch(`${caller.url}/run`, request)).json()) as EventJson[];
    const first = ask();
    const runs = async () => (await caller.request<Run[]>('GET', `${sessionPath(session)}/runs`)).body;
    await expect.poll(async () => (await runs()).length, patience).toBe(2);
    const waiting = (await runs()).find(({ status }) => status === 'queued')?.invocationId ?? '';
    expect((await add(waiting, 'more')).status).toBe(202);
    await caller.request('POST', `/runs/${running}/cancel`, {});
    const events = await first;
    expect(events.map(({ author }) => author)).toEqual(['echo']);
    expect(await ask()).toEqual(events);
  });

  test('refuses what no run takes', async () => {
    const session = await caller.createSession();
    const id = await start(session, '[[wait:60000]]');
    const send = (newMessage: unknown) => caller.request('POST', `/runs/${id}/messages`, { newMessage });
    expect(await send({ parts: [] })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'newMessage'], msg: 'No parts in the new_message.' }], code: 'message_invalid' },
    });
    const functionResponse = { id: 'x', name: 'y', response: {} };
    expect(await send({ parts: [{ functionResponse }] })).toMatchObject({ status: 422 });
    expect(await send(undefined)).toMatchObject({ status: 422 });
    const stranger = await newAccount(caller.url);
    expect(await add(id, 'x', stranger)).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
    await caller.request('POST', `/runs/${id}/cancel`, {});
  });
});
