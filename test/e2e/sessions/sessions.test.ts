import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, sessionPath } from '../../caller.ts';

let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

describe('a session', () => {
  test.each([
    ['no body', undefined],
    ['null', 'null'],
    ['{}', {}],
  ])('is made of %s', async (_, body) => {
    const session = await caller.createSession('any-app', body);
    expect(session).toMatchObject({ appName: 'any-app', userId: 'u1', state: {}, events: [] });
    expect(session.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(session.lastUpdateTime - Date.now() / 1000)).toBeLessThan(60);
  });

  test('has the given id, state and events, unknown event fields included', async () => {
    const events = [
      {
        author: 'user',
        content: { role: 'user', parts: [{ text: 'hi' }] },
        timestamp: 12.5,
        id: 'ev-1',
        futureField: [1],
      },
      { author: 'agent', partial: true, content: { parts: [{ text: 'half' }] } },
      {
        author: 'agent',
        content: { role: 'model', parts: [{ inlineData: { mimeType: 'x/y', data: '+/+/' } }] },
        actions: { stateDelta: { b: 2 } },
      },
    ];
    const made = await caller.createSession('echo', { sessionId: 'given-id', state: { a: 1, 'temp:t': 1 }, events });
    expect(made.id).toBe('given-id');
    const read = await caller.readSession(made);
    expect(read).toEqual(made);
    expect(read.state).toEqual({ a: 1, b: 2 });
    expect(read.events).toHaveLength(2);
    expect(read.events[0]).toMatchObject({ id: 'ev-1', timestamp: 12.5, futureField: [1] });
    expect(read.events[1]?.content?.parts).toEqual([{ inlineData: { mimeType: 'x/y', data: '-_-_' } }]);
    expect(read.events[1]?.actions).toEqual({
      stateDelta: { b: 2 },
      artifactDelta: {},
      requestedAuthConfigs: {},
      requestedToolConfirmations: {},
    });
  });

  test('with an id in use is refused with 409 and the id', async () => {
    const { id } = await caller.createSession();
    const again = await caller.request('POST', '/apps/echo/users/u1/sessions', { session_id: id });
    expect(again).toMatchObject({ status: 409, body: { detail: `Session already exists: ${id}` } });
  });

  test('can be created by the deprecated path with its state wrapped like the adk-js client sends it', async () => {
    const answer = await caller.request('POST', '/apps/echo/users/u1/sessions/old-style', { state: { a: 1 } });
    expect(answer).toMatchObject({ status: 200, body: { id: 'old-style', state: { a: 1 } } });
  });

  test('is listed without events, patched by an event, and deleted permanently', async () => {
    const session = await caller.createSession('list-app', { state: { a: 1, b: 1 } });
    const patched = await caller.request('PATCH', sessionPath(session), { stateDelta: { a: null, 'user:c': 3 } });
    expect(patched).toMatchObject({
      status: 200,
      body: { state: { b: 1, 'user:c': 3 }, events: [{ author: 'user' }] },
    });
    const listed = await caller.request<object[]>('GET', '/apps/list-app/users/u1/sessions');
    expect(listed.body).toEqual([
      expect.objectContaining({ id: session.id, events: [], state: { b: 1, 'user:c': 3 } }),
    ]);
    for (let i = 0; i < 2; i++) {
      expect(await caller.request('DELETE', sessionPath(session))).toMatchObject({ status: 200, body: null });
    }
    expect(await caller.request('GET', sessionPath(session))).toMatchObject({
      status: 404,
      body: { detail: 'Session not found' },
    });
  });

  test('may have any characters in its names except a slash', async () => {
    const path = `/apps/${encodeURIComponent('my app')}/users/${encodeURIComponent('ü@..')}/sessions`;
    const answer = await caller.request('POST', path, { sessionId: 'a b' });
    expect(answer).toMatchObject({ status: 200, body: { appName: 'my app', userId: 'ü@..', id: 'a b' } });
    expect((await caller.request('POST', '/apps/a%2Fb/users/u/sessions')).status).toBe(404);
  });

  test('accepts a history larger than one message between services', async () => {
    const text = 'x'.repeat(100_000);
    const events = Array.from({ length: 60 }, () => ({ author: 'user', content: { parts: [{ text }] } }));
    const session = await caller.createSession('echo', { events });
    expect((await caller.readSession(session)).events).toHaveLength(60);
  });
});

describe('bad input', () => {
  test.each([
    ['an array', '[]', ['body'], 'model_attributes_type'],
    ['broken JSON', '{"state":', ['body', 9], 'json_invalid'],
    ['a state that is no object', { state: [1] }, ['body', 'state'], 'dict_type'],
    ['an event without author', { events: [{}] }, ['body', 'events', 0, 'author'], 'missing'],
    [
      'an unknown key in a message',
      { events: [{ author: 'a', content: { parts: [], foo: 1 } }] },
      ['body', 'events', 0, 'content', 'foo'],
      'extra_forbidden',
    ],
    [
      'an unknown key in actions',
      { events: [{ author: 'a', actions: { state_delta: {}, foo: 1 } }] },
      ['body', 'events', 0, 'actions', 'foo'],
      'extra_forbidden',
    ],
    [
      'an unknown key within actions',
      { events: [{ author: 'a', actions: { compaction: { startTimestamp: 1, foo: 1 } } }] },
      ['body', 'events', 0, 'actions', 'compaction', 'foo'],
      'extra_forbidden',
    ],
  ])('%s is 422 and names the place', async (_, body, loc, type) => {
    const answer = await caller.request('POST', '/apps/echo/users/u1/sessions', body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
  });

  test('a patch without a delta is 422', async () => {
    const session = await caller.createSession();
    for (const body of [{}, { stateDelta: null }]) {
      expect((await caller.request('PATCH', sessionPath(session), body)).status).toBe(422);
    }
  });
});
