import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson, sessionPath, textOf, untilSaid } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(url);
});

type Run = Record<string, unknown> & { readonly invocationId: string; readonly status: string };

const getRun = async (id: string, by = caller) => by.request<Run>('GET', `/runs/${id}`);
const cancel = async (id: string, by = caller) => by.request<Run>('POST', `/runs/${id}/cancel`, {});
const statusOf = async (id: string) => (await getRun(id)).body.status;

async function start(session: SessionJson, text: string, over: object = {}): Promise<Run> {
  const { status, body } = await caller.request<Run>('POST', '/runs', runBody(session, text, over));
  expect(status).toBe(202);
  return body;
}

describe('a run in the background', () => {
  test('is answered with its record at once, and is completed without a viewer', async () => {
    const session = await caller.createSession();
    const body = runBody(session, 'hello', { customMetadata: { big: 12345678901234567890n.toString(), n: null } });
    const { status, headers, body: run } = await caller.request<Run>('POST', '/runs', body);
    expect(status).toBe(202);
    expect(headers.get('x-invocation-id')).toBe(run.invocationId);
    expect(run).toMatchObject({ appName: 'echo', userId: 'u1', sessionId: session.id, attempt: 1 });
    await expect.poll(() => statusOf(run.invocationId)).toBe('completed');
    const { body: ended } = await getRun(run.invocationId);
    expect(ended).toMatchObject({ createTime: expect.any(Number), customMetadata: { n: null } });
    expect(ended.endTime).toBeGreaterThanOrEqual(ended.startTime as number);
    expect(Object.keys(ended)).not.toContain('errorCode');
    const tokens = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    expect(ended).toMatchObject({ model: 'echo', usage: { ...tokens, modelCalls: 1 } });
    expect((await caller.readSession(session)).events).toHaveLength(2);
  });

  test('waits in the queue of its session and shows its place', async () => {
    const session = await caller.createSession();
    const ids: string[] = [];
    for (const text of ['[[wait:60000]]', 'two', 'three']) ids.push((await start(session, text)).invocationId);
    const [first = '', second = '', third = ''] = ids;
    expect((await getRun(third)).body).toMatchObject({ status: 'queued', queuePosition: 2 });
    expect((await cancel(second)).body).toMatchObject({ status: 'cancelled' });
    expect((await getRun(third)).body).toMatchObject({ status: 'queued', queuePosition: 1 });
    await cancel(first);
    await expect.poll(() => statusOf(third)).toBe('completed');
    const { events } = await caller.readSession(session);
    expect(events.map((event) => event.errorCode ?? textOf(event))).toEqual([
      '[[wait:60000]]',
      'CANCELLED',
      'three',
      'three',
    ]);
  });

  test('is refused like /run', async () => {
    const session = await caller.createSession();
    const post = (body: object) => caller.request('POST', '/runs', body);
    expect(await post(runBody({ ...session, id: 'nope' }, 'x'))).toMatchObject({ status: 404 });
    expect(await post(runBody({ ...session, appName: 'nope' }, 'x'))).toMatchObject({ status: 404 });
    expect(await post({ ...runBody(session, 'x'), newMessage: undefined })).toMatchObject({ status: 422 });
    expect(await post(runBody(session, 'x', { onDisconnect: 'perhaps' }))).toMatchObject({ status: 422 });
    expect(await new Caller(url).request('POST', '/runs', runBody(session, 'x'))).toMatchObject({ status: 401 });
  });

  test('is started once for each Idempotency-Key', async () => {
    const session = await caller.createSession();
    const post = async (text: string, key = 'once') => {
      const headers = {
        authorization: `Bearer ${caller.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const body = JSON.stringify(runBody(session, text));
      const response = await fetch(`${url}/runs`, { method: 'POST', headers, body });
      return {
        status: response.status,
        replayed: response.headers.get('idempotency-replayed'),
        body: (await response.json()) as Run,
      };
    };
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('hello')));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202));
    expect(new Set(answers.map(({ body }) => body.invocationId)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    const detail = [{ loc: ['header', 'idempotency-key'] }];
    expect(await post('other')).toMatchObject({ status: 422, body: { detail, code: 'idempotency_key_reused' } });
    expect((await post('hello', 'k'.repeat(201))).status).toBe(422);
  });
});

describe('an Idempotency-Key', () => {
  const send = async (path: string, body: object, key: string) => {
    const headers = {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const { status, headers: answered } = response;
    const replayed = answered.get('idempotency-replayed');
    return { status, replayed, id: answered.get('x-invocation-id'), text: await response.text() };
  };

  test.each(['/run', '/run_sse'])(
    'makes one turn of repeated requests to %s, which all get its answer',
    async (path) => {
      const session = await caller.createSession();
      const body = runBody(session, '[[wait:300]] [[tool:get_current_time {}]] done');
      const key = `once ${path}`;
      const answers = await Promise.all(Array.from({ length: 4 }, () => send(path, body, key)));
      answers.push(await send(path, body, key));
      const first = answers.find(({ replayed }) => replayed === null);
      expect(first).toMatchObject({ status: 200, text: expect.stringContaining('done') });
      const others = answers.filter((answer) => answer !== first);
      expect(others).toEqual(Array(4).fill({ ...first, replayed: 'true' }));
      expect((await caller.readSession(session)).events).toHaveLength(4);
      const other = runBody(session, 'other');
      expect(await send(path, other, key)).toMatchObject({ status: 422 });
    },
  );

  test('has the answer of its own request replayed, and not that of the request which went on with the run', async () => {
    const session = await caller.createSession();
    const body = runBody(session, '[[tool:request_input {}]]');
    const asked = await send('/run', body, 'ask');
    const run = await getRun(asked.id ?? '');
    const [call] = run.body['waitingFor'] as { functionCallId: string; name: string }[];
    const functionResponse = { id: call?.functionCallId, name: call?.name, response: { result: 'blue' } };
    const answer = runBody(session, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
    const went = await send('/run', answer, 'answer');
    expect(went).toMatchObject({ status: 200, id: asked.id, replayed: null });
    expect(await send('/run', body, 'ask')).toEqual({ ...asked, replayed: 'true' });
    expect(await send('/run', answer, 'answer')).toEqual({ ...went, replayed: 'true' });
  });
});

describe('cancelling a run', () => {
  test('stops it, keeps the text so far, and leaves a session that goes on', async () => {
    const session = await caller.createSession();
    const stream = caller.stream(session, 'so far [[wait:60000]] late', { streaming: true });
    const id = (await untilSaid(stream, 'far')).invocationId;
    const rest = Array.fromAsync(stream);
    const { status, body } = await cancel(id);
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'cancelled', errorCode: 'CANCELLED' } });
    const last = (await rest).at(-1);
    expect(last).toMatchObject({ interrupted: true, errorCode: 'CANCELLED', author: 'echo' });
    expect(textOf(last)).toMatch(/^so far\s*$/);
    expect((await cancel(id)).body).toEqual(body);
    expect((await caller.run(session, 'next')).body.map(textOf)).toEqual(['next']);
    expect((await caller.readSession(session)).events).toHaveLength(4);
  });

  test('stops it within a second', async () => {
    const took: number[] = [];
    // Other work of the machine may hold up some of them, but not ten.
    while (took.length < 10 && !took.some((ms) => ms < 1_000)) {
      const { invocationId } = await start(await caller.createSession(), '[[wait:60000]]');
      await expect.poll(() => statusOf(invocationId)).toBe('running');
      const began = performance.now();
      expect((await cancel(invocationId)).body.status).toBe('cancelled');
      took.push(performance.now() - began);
    }
    expect(Math.min(...took)).toBeLessThan(1_000);
  });

  test('that waits for a person ends it', async () => {
    const session = await caller.createSession();
    const { invocationId } = await start(session, '[[tool:request_input {}]]');
    await expect.poll(() => statusOf(invocationId)).toBe('waiting');
    const inbox = await caller.request<Run[]>('GET', '/runs?status=waiting');
    expect(inbox.body.map((run) => run.invocationId)).toEqual([invocationId]);
    const call = { name: expect.stringMatching(/request_input$/), functionCallId: expect.any(String) };
    expect(inbox.body[0]).toMatchObject({ waitingFor: [call] });
    expect((await cancel(invocationId)).body.status).toBe('cancelled');
    expect((await caller.request<Run[]>('GET', '/runs?status=waiting')).body).toEqual([]);
  });

  test('of another account is 404, like one that does not exist', async () => {
    const { invocationId } = await start(await caller.createSession(), '[[wait:60000]]');
    const stranger = await newAccount(url);
    for (const id of [invocationId, 'e-none']) {
      expect(await getRun(id, stranger)).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
      expect(await cancel(id, stranger)).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
    }
    expect(await statusOf(invocationId)).toBe('running');
    await cancel(invocationId);
  });

  test.each(['/run', '/run_sse'])('happens when the client of %s leaves, if it asked for that', async (path) => {
    for (const [onDisconnect, status, ms] of [
      ['cancel', 'cancelled', 60_000],
      ['continue', 'completed', 700],
    ] as const) {
      const session = await caller.createSession();
      const leaving = new AbortController();
      const body = runBody(session, `[[wait:${ms}]] end`, { on_disconnect: onDisconnect });
      const sent = caller.fetch('POST', path, body, leaving.signal).catch(() => undefined);
      const runs = async () => (await caller.request<Run[]>('GET', `${sessionPath(session)}/runs`)).body;
      // On a busy machine the shorter one may be over when it is seen first.
      await expect.poll(async () => (await runs())[0]?.status ?? '').toMatch(/^(running|completed)$/);
      leaving.abort();
      await sent;
      await expect.poll(async () => (await runs())[0]?.status).toBe(status);
    }
  });
});

describe('cancelling a session', () => {
  const cancelSession = (id: string, by = caller) =>
    by.request<{ code?: string }>('POST', `/apps/echo/users/u1/sessions/${id}:cancel`);

  test('cancels what runs in it and what is queued, and is 404 when nothing does', async () => {
    const session = await caller.createSession();
    const ids: string[] = [];
    for (const text of ['[[wait:60000]]', 'two']) ids.push((await start(session, text)).invocationId);
    expect((await cancelSession(session.id, await newAccount(url))).status).toBe(404);
    const { status, body } = await cancelSession(session.id);
    expect({ status, body }).toEqual({ status: 200, body: { status: 'cancelled', session_id: session.id } });
    for (const id of ids) await expect.poll(() => statusOf(id)).toBe('cancelled');
    expect(await cancelSession(session.id)).toMatchObject({ status: 404, body: { code: 'session_idle' } });
    expect(await cancelSession('none')).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
  });

  test('takes no name from a session: an id like its address cannot be created', async () => {
    const source = await caller.createSession();
    await caller.run(source, 'one');
    const [event] = (await caller.readSession(source)).events;
    const sessions = '/apps/echo/users/u1/sessions';
    const reserved = { status: 422, body: { detail: [{ loc: ['body', 'sessionId'] }], code: 'session_id_reserved' } };
    expect(await caller.request('POST', sessions, { sessionId: 's:cancel' })).toMatchObject(reserved);
    expect(await caller.request('POST', `${sessions}/:cancel`)).toMatchObject(reserved);
    const fork = { eventId: event?.id, sessionId: 's:cancel' };
    expect(await caller.request('POST', `${sessionPath(source)}/fork`, fork)).toMatchObject(reserved);
    const read = await caller.fetch('GET', `${sessions}/s:cancel`);
    expect(read.status).toBe(404);
  });
});

describe('a list of runs', () => {
  test('goes page by page from the newest, with filters', async () => {
    const own = await newAccount(url);
    const [one, two] = [await own.createSession(), await own.createSession()];
    const ids: string[] = [];
    for (const session of [one, two, one]) {
      ids.unshift((await own.run(session, 'hi')).headers.get('x-invocation-id') ?? '');
    }
    const list = async (query: string, path = '/runs') => {
      const { status, headers, body } = await own.request<Run[]>('GET', `${path}?${query}`);
      const found = status === 200 ? body.map(({ invocationId }) => invocationId) : status;
      return { found, cursor: headers.get('x-next-cursor') };
    };
    const first = await list('limit=2');
    expect(first.found).toEqual(ids.slice(0, 2));
    expect(await list(`limit=2&cursor=${first.cursor}`)).toEqual({ found: ids.slice(2), cursor: null });
    expect((await list(`status=failed&cursor=${first.cursor}`)).found).toBe(422);
    expect((await list('status=completed&app=echo&user=u1')).found).toEqual(ids);
    expect((await list('status=failed')).found).toEqual([]);
    expect((await list(`app=echo&user=u1&session=${two.id}`)).found).toEqual([ids[1]]);
    expect((await list(`session=${two.id}`)).found).toEqual((await list(`app=echo&user=u1&session=${two.id}`)).found);
    expect((await list('session=x')).found).toEqual([]);
    const { createTime } = (await own.request<Run>('GET', `/runs/${ids[0]}`)).body;
    expect((await list(`since=${createTime as number}`)).found).toEqual([ids[0]]);
    expect((await list('since=2026-01-01T00:00:00%2B01:00')).found).toEqual(ids);
    for (const bad of ['since=yesterday', 'since=-1', 'status=done', 'limit=0'])
      expect((await list(bad)).found).toBe(422);
    expect((await list('', `${sessionPath(one)}/runs`)).found).toEqual([ids[0], ids[2]]);
    expect((await list('', `${sessionPath({ ...one, id: 'none' })}/runs`)).found).toBe(404);
  });

  test('shows a token that is bound to an end user only the runs of that user', async () => {
    const own = await newAccount(url);
    const session = await own.createSession();
    await own.request('POST', '/apps/echo/users/u2/sessions', { sessionId: 'theirs' });
    const mine = (await own.run(session, 'hi')).headers.get('x-invocation-id') ?? '';
    const theirs =
      (await own.run({ ...session, userId: 'u2', id: 'theirs' }, 'hi')).headers.get('x-invocation-id') ?? '';
    const made = await own.request<{ token: string }>('POST', '/api/auth/tokens', {
      name: 'bound',
      scopes: ['runs:read', 'runs:write'],
      user_id: 'u1',
    });
    const bound = new Caller(url, made.body.token);
    expect((await bound.request<Run[]>('GET', '/runs')).body.map(({ invocationId }) => invocationId)).toEqual([mine]);
    expect((await bound.request('GET', '/runs?user=u2')).status).toBe(403);
    expect((await getRun(mine, bound)).status).toBe(200);
    expect((await getRun(theirs, bound)).status).toBe(404);
    expect((await cancel(theirs, bound)).status).toBe(404);
    expect((await bound.request('GET', '/apps/echo/users/u2/sessions/theirs/runs')).status).toBe(403);
    const reader = await own.request<{ token: string }>('POST', '/api/auth/tokens', {
      name: 'r',
      scopes: ['runs:read'],
    });
    expect((await cancel(mine, new Caller(url, reader.body.token))).status).toBe(403);
  });
});
