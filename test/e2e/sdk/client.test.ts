import { randomUUID } from 'node:crypto';
import { AgentMesh, NotFoundError, RunNotWaitingError, UnauthenticatedError } from '@agentmesh/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

const url = inject('meshUrl');
const place = { app: 'echo', user: 'u1' };
let mesh: AgentMesh;

beforeAll(async () => {
  mesh = new AgentMesh({ url, token: (await newAccount(url)).token ?? '' });
});

describe('a run of the client', () => {
  test('yields every event once, its words, and the end with the record', async () => {
    const run = mesh.runs.stream({ ...place, text: 'Hello, [[wait:500]] mesh' });
    const events = [];
    for await (const event of run) events.push(event);
    expect(events.filter((it) => it.gap === undefined && it.partial === true).length).toBeGreaterThan(0);
    const { text, record, events: whole } = await run.final();
    expect([record.status, record.invocationId]).toEqual(['completed', await run.id]);
    const session = await mesh.sessions.get({ ...place, session: record.sessionId });
    expect(whole).toEqual(session.events);
    let said = '';
    for await (const piece of run.text) said += piece;
    expect([said, said.endsWith('mesh')]).toEqual([text, true]);
  });

  test('is cancelled, steered and watched by its id', async () => {
    const run = mesh.runs.stream({ ...place, text: 'first [[wait:60000]] second' });
    for await (const piece of run.text) if (piece.includes('first')) break;
    await run.steer('more');
    const other = mesh.runs.watch(await run.id).final();
    expect((await run.cancel()).status).toBe('cancelled');
    expect((await other).record.status).toBe('cancelled');
    expect((await run.final()).record.status).toBe('cancelled');
  });

  test('waits in the inbox, goes on behind its answer, and refuses a second one', async () => {
    const run = mesh.runs.stream({ ...place, text: '[[tool:request_input {}]]' });
    const before = [];
    for await (const event of run) before.push(event);
    expect(run.record?.status).toBe('waiting');
    const id = await run.id;
    expect((await mesh.runs.inbox().all()).map(({ invocationId }) => invocationId)).toContain(id);
    await run.answer({ result: 'yes' });
    const after = [];
    for await (const event of run) after.push(event);
    expect(after.length).toBeGreaterThan(0);
    const { events, record } = await run.final();
    expect(record.status).toBe('completed');
    expect(new Set(events.map((it) => it.id)).size).toBe(events.length);
    await expect(mesh.runs.answer(id, { result: 'no' })).rejects.toThrow(RunNotWaitingError);
  });

  test('of the inbox is answered also when the run of a copy of its session has gone on under its id', async () => {
    const started = await mesh.runs.start({ ...place, text: '[[tool:request_input {}]]' });
    const { invocationId, sessionId: session } = await mesh.runs.wait(started.invocationId, { seconds: 30 });
    const { id: copy } = await mesh.sessions.fork({ ...place, session }, { invocationId });
    const [call] = (await mesh.runs.get(invocationId)).waitingFor ?? [];
    const { functionCallId: id = '', name = '' } = call ?? {};
    const functionResponse = { id, name, response: { result: 'blue' } };
    await mesh.runs
      .stream({ ...place, session: copy, message: { role: 'user', parts: [{ functionResponse }] } })
      .final();
    const waiting = (await mesh.runs.inbox().all()).find((run) => run.invocationId === invocationId);
    expect(waiting?.sessionId).toBe(session);
    expect((await mesh.runs.answer(invocationId, { result: 'red' }, waiting)).sessionId).toBe(session);
  });

  test('is the same one when it is started again with the same key, also in a session of its own', async () => {
    const request = { ...place, text: 'once', idempotencyKey: randomUUID() };
    const [first, again] = [await mesh.runs.start(request), await mesh.runs.start(request)];
    expect(again.invocationId).toBe(first.invocationId);
    const longest = { ...request, idempotencyKey: `${'k'.repeat(164)}${randomUUID()}` };
    const { invocationId } = await mesh.runs.start(longest);
    expect(await mesh.runs.stream({ ...longest, streaming: false }).id).toBe(invocationId);
  });

  test.each([192, 193, 200])(
    'has a session of its own when another key of %i characters ends otherwise',
    async (size) => {
      const key = randomUUID().padEnd(size - 1, 'k');
      const start = (end: string) => mesh.runs.start({ ...place, text: 'once', idempotencyKey: `${key}${end}` });
      const runs = await Promise.all(['a', 'b'].map(start));
      const sessions = await Promise.all(runs.map(async (run) => (await mesh.runs.get(run.invocationId)).sessionId));
      expect(new Set(sessions).size).toBe(2);
      expect((await start('a')).invocationId).toBe(runs[0]?.invocationId);
    },
  );

  test('fails where it is read when it cannot be started', async () => {
    const run = mesh.runs.stream({ app: 'no-such-app', user: 'u1', session: 'none', text: 'hello' });
    await expect(run.final()).rejects.toThrow(NotFoundError);
    await expect(run.id).rejects.toThrow(NotFoundError);
  });
});

describe('the client', () => {
  test('signs up, signs in, goes on with the cookie of the sign-in, and signs out', async () => {
    const client = new AgentMesh({ url });
    const [email, password] = [`${randomUUID()}@example.com`, 'correct horse battery'];
    await client.account.signUp({ email, password, first_name: 'Ada', last_name: 'L' });
    await expect(client.account.me()).rejects.toThrow(UnauthenticatedError);
    await client.account.signIn({ email, password });
    expect((await client.account.me()).email).toBe(email);
    expect(await client.account.resume()).toBe(true);
    expect((await client.account.me()).email).toBe(email);
    await client.account.signOut();
    await expect(client.account.me()).rejects.toThrow(UnauthenticatedError);
    expect(await client.account.resume()).toBe(false);
  });

  test('pages through lists', async () => {
    const user = randomUUID();
    const made = await Promise.all([1, 2, 3].map(() => mesh.sessions.create({ app: 'echo', user })));
    const listed = await mesh.sessions.list({ app: 'echo', user }, { limit: 2 }).all();
    expect(listed.map(({ id }) => id).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    const first = await mesh.sessions.list({ app: 'echo', user }, { limit: 2 }).page();
    expect([first.items.length, typeof first.next]).toEqual([2, 'string']);
    expect(await mesh.apps.list()).toContain('echo');
  });
});
