import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountId, type Edge, startEdge } from '../edge.ts';

let edge: Edge;
let created: unknown[] = [];

beforeAll(async () => {
  edge = await startEdge({
    env: { GATEWAY_MAX_BODY_BYTES: '100000' },
    sessions: {
      createSession: (request) => {
        created.push(request);
        const { appName = '', userId = '', sessionId: id = '' } = request.session ?? {};
        if (id === 'taken') throw new MeshError('already_exists', 'session_exists', 'Session already exists: taken');
        if (id === 'broken') throw new Error('the disk is full of secrets');
        const stateJson = request.stateJson;
        return {
          session: { appName, userId, id, stateJson, lastUpdateTime: 1.5 },
          events: request.events.map((e) => e.json),
        };
      },
      async *getSession({ session }) {
        if (session?.sessionId !== 's1') throw new MeshError('not_found', 'session_not_found', 'Session not found');
        const head = { appName: 'a', userId: 'u', id: 's1', stateJson: Buffer.from('{"k":null}'), lastUpdateTime: 2 };
        yield { session: head, events: [Buffer.from('{"id":"1"}')] };
        yield { events: [Buffer.from('{"id":"2"}')] };
      },
      async *listSessions() {
        const stateJson = new Uint8Array();
        yield { sessions: [{ appName: 'a', userId: 'u', id: 's1', stateJson, lastUpdateTime: 2 }] };
      },
      deleteSession: () => ({}),
      patchSession: () => ({}),
    },
    auth: {
      signIn: ({ email, password }) => {
        if (password === 'right password') return { accessToken: `token of ${email}` };
        throw new MeshError('unauthenticated', 'invalid_credentials', 'Invalid email or password');
      },
      getAccount: ({ id }) => {
        if (id === accountId) return { account: { id, userId: 7n, email: 'a@example.com', role: 'USER' } };
        throw new MeshError('not_found', 'account_not_found', 'User not found');
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

const sessions = '/apps/a/users/u/sessions';

describe('the order of checks', () => {
  it('refuses broken JSON before it checks the token', async () => {
    const headers = { authorization: null, 'content-type': 'application/json' };
    const { status, body } = await edge.send('/run', { text: '{bad', headers });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'request_invalid',
      detail: [
        {
          type: 'json_invalid',
          loc: ['body', 1],
          msg: 'JSON decode error',
          input: {},
          ctx: { error: 'Expecting property name enclosed in double quotes' },
        },
      ],
    });
  });

  it('ignores a body on routes that take none', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await edge.send(`${sessions}/s1`, { method: 'DELETE', text: '{bad', headers });
    expect(answer.status).toBe(200);
  });

  it('checks the token before the fields', async () => {
    const answer = await edge.send('/run', { json: {}, headers: { authorization: null } });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail: 'Not authenticated' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('lists missing fields if the token is valid', async () => {
    const { status, body } = await edge.send('/run', { json: {} });
    expect(status).toBe(422);
    expect((body as { detail: { loc: unknown }[] }).detail.map((issue) => issue.loc)).toEqual([
      ['body', 'userId'],
      ['body', 'sessionId'],
      ['body', 'appName'],
      ['body', 'newMessage'],
    ]);
  });
});

describe('a body', () => {
  it('may come without a content type, or as any JSON type', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/vnd.x+json', 'APPLICATION/JSON']) {
      const answer = await edge.send(sessions, { text: '{"sessionId":"s"}', headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
    }
    const bytes = new TextEncoder().encode('{"sessionId":"s"}');
    expect((await edge.send(sessions, { text: bytes })).body).toMatchObject({ id: 's' });
  });

  it.each(['text/plain', 'nonsense', 'application/x-www-form-urlencoded'])('of type %s is no object', async (type) => {
    const { status, body } = await edge.send('/run', { text: 'a=b', headers: { 'content-type': type } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ type: 'model_attributes_type', loc: ['body'], input: 'a=b' }] });
  });

  it('may be absent, empty or null if it is optional', async () => {
    expect((await edge.send(sessions, { method: 'POST' })).status).toBe(200);
    expect((await edge.send(sessions, { text: '', headers: { 'content-type': 'application/json' } })).status).toBe(200);
    expect((await edge.send(sessions, { json: null })).status).toBe(200);
    expect((await edge.send('/run', { method: 'POST' })).body).toMatchObject({
      detail: [{ type: 'missing', loc: ['body'], input: null }],
    });
    expect((await edge.send('/run', { json: null })).status).toBe(422);
  });

  it('that is not UTF-8 is 400, too large is 413, too deep is 422', async () => {
    const headers = { 'content-type': 'application/json' };
    const notUtf8 = await edge.send('/run', { text: new Uint8Array([0x22, 0xff, 0x22]), headers });
    expect([notUtf8.status, notUtf8.body]).toEqual([400, { detail: 'There was an error parsing the body' }]);
    expect((await edge.send('/run', { json: 'x'.repeat(200_000) })).status).toBe(413);
    const deep = `{"state":${'['.repeat(50_000)}}`;
    expect((await edge.send(sessions, { text: deep, headers })).status).toBe(422);
    expect((await edge.send(sessions, { text: '{"state":{"n":NaN}}', headers })).status).toBe(422);
  });
});

describe('a path', () => {
  it('that is unknown is 404, and its body is not read', async () => {
    for (const path of ['/nowhere', '/api/auth/mfa/enroll', '/apps/a%2Fb/app-info', '/apps/%zz/app-info']) {
      const answer = await edge.send(path, { headers: { authorization: null } });
      expect([path, answer.status, answer.body]).toEqual([path, 404, { detail: 'Not Found' }]);
    }
    const headers = { 'content-type': 'application/json' };
    expect((await edge.send('/api/auth/mfa/x', { text: '{bad', headers })).status).toBe(404);
  });

  it('with a wrong method is 405, with the allowed ones in Allow', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      const answer = await edge.send('/list-apps', { method, headers: { authorization: null } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
    expect((await edge.send(`${sessions}/s`, { method: 'PUT' })).headers.get('allow')).toBe('DELETE, GET, PATCH, POST');
  });

  it('is decoded, and must not contain NUL', async () => {
    expect((await edge.send('/apps/a%20%C3%A4/users/u%2Bv/sessions', { json: {} })).body).toMatchObject({
      appName: 'a ä',
    });
    expect((await edge.send('/apps/a%00/users/u/sessions', { json: {} })).status).toBe(422);
  });
});

describe('sessions', () => {
  it('have their fields in order, and keep nulls in state', async () => {
    expect((await edge.send(`${sessions}/s1`)).text).toBe(
      '{"id":"s1","appName":"a","userId":"u","state":{"k":null},"events":[{"id":"1"},{"id":"2"}],"lastUpdateTime":2}',
    );
  });

  it('are listed without events', async () => {
    expect((await edge.send(sessions)).body).toEqual([
      { id: 's1', appName: 'a', userId: 'u', state: {}, events: [], lastUpdateTime: 2 },
    ]);
  });

  it('can begin with events in their public form', async () => {
    created = [];
    const events = [
      { author: 'user', invocation_id: 'e', finish_reason: 'stop', x: 1, actions: { state_delta: { k: null } } },
    ];
    const { body } = await edge.send(sessions, { json: { session_id: ' s9 ', state: { a: 1 }, events } });
    expect(body).toMatchObject({ id: 's9', state: { a: 1 } });
    expect((body as { events: unknown }).events).toEqual([
      {
        id: '',
        author: 'user',
        invocationId: 'e',
        finishReason: 'STOP',
        x: 1,
        actions: {
          stateDelta: { k: null },
          artifactDelta: {},
          requestedAuthConfigs: {},
          requestedToolConfirmations: {},
        },
        nodeInfo: { path: '' },
      },
    ]);
    expect(created).toMatchObject([{ session: { accountId, appName: 'a', userId: 'u', sessionId: 's9' } }]);
  });

  it.each([
    { k: 1 },
    { state: 'tea' },
    { state: [] },
    { state: null },
    { state: { k: 1 }, other: 1 },
    { events: [] },
    { sessionId: 's' },
  ])('take the whole body as state if the id is in the path: %j', async (json) => {
    expect((await edge.send(`${sessions}/own`, { json })).body).toMatchObject({ id: 'own', state: json });
  });

  it.each([{}, { events: [] }, { sessionId: 'other' }, { sessionId: null, events: null }])(
    'unwrap a state that is a map, beside %j, if the id is in the path',
    async (beside) => {
      const { body } = await edge.send(`${sessions}/own`, { json: { state: { k: 1 }, ...beside } });
      expect(body).toMatchObject({ id: 'own', state: { k: 1 } });
      expect((body as { state: object }).state).toEqual({ k: 1 });
    },
  );

  it('check the state and the events that they unwrap', async () => {
    const json = { state: {}, events: [{ id: 'without author' }] };
    expect((await edge.send(`${sessions}/own`, { json })).body).toMatchObject({
      detail: [{ type: 'missing', loc: ['body', 'events', 0, 'author'] }],
    });
    expect((await edge.send(`${sessions}/own`, { json: [] })).body).toMatchObject({ detail: [{ type: 'dict_type' }] });
  });

  it('are deleted with 200 and null', async () => {
    const answer = await edge.send(`${sessions}/s1`, { method: 'DELETE' });
    expect([answer.status, answer.text]).toEqual([200, 'null']);
  });

  it('are answered whole after a patch', async () => {
    const { body } = await edge.send(`${sessions}/s1`, { method: 'PATCH', json: { stateDelta: {} } });
    expect(body).toMatchObject({ id: 's1', events: [{ id: '1' }, { id: '2' }] });
  });
});

describe('an event of a new session', () => {
  it('always has a node path, even an empty one', async () => {
    const events = [{ author: 'user', nodeInfo: { messageAsOutput: true } }];
    const { body } = await edge.send(sessions, { json: { events } });
    expect(body).toMatchObject({ events: [{ nodeInfo: { path: '', messageAsOutput: true } }] });
  });
});

describe('errors of services', () => {
  it('become HTTP statuses with detail and code', async () => {
    const taken = await edge.send(sessions, { json: { sessionId: 'taken' } });
    expect([taken.status, taken.body]).toEqual([
      409,
      { detail: 'Session already exists: taken', code: 'session_exists' },
    ]);
    expect((await edge.send(`${sessions}/none`)).body).toEqual({
      detail: 'Session not found',
      code: 'session_not_found',
    });
  });

  it('that are unexpected become 500 without their text', async () => {
    const broken = await edge.send(sessions, { json: { sessionId: 'broken' } });
    expect([broken.status, broken.body]).toEqual([500, { detail: 'Internal Server Error' }]);
  });
});

describe('sign-in', () => {
  it('takes JSON and the OAuth2 password form', async () => {
    const json = await edge.send('/api/auth/token', { json: { email: 'a@b.c', password: 'right password' } });
    expect(json.body).toEqual({ token_type: 'bearer', access_token: 'token of a@b.c' });
    const form = await edge.send('/api/auth/token', {
      text: 'grant_type=password&username=a%40b.c&password=right+password&scope=',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: null },
    });
    expect(form.body).toEqual(json.body);
  });

  it('that fails is 401 without a bearer challenge', async () => {
    const answer = await edge.send('/api/auth/token', { json: { email: 'a@b.c', password: 'wrong' } });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, null]);
    expect(answer.body).toMatchObject({ detail: 'Invalid email or password' });
  });

  it('gives a token that shows the account', async () => {
    expect((await edge.send('/api/users/me')).body).toMatchObject({ user_id: 7, plan: 'free', username: null });
  });
});

describe('every answer', () => {
  it('carries security headers and the request id that was sent', async () => {
    for (const path of ['/health', '/nowhere', '/list-apps']) {
      const { headers } = await edge.send(path, { headers: { authorization: null, 'x-request-id': 'abc-1' } });
      expect(headers.get('x-request-id')).toBe('abc-1');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
    const { headers } = await edge.send('/health', { headers: { 'x-request-id': 'a b' } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
