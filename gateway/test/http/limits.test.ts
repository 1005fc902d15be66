import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountId, type Edge, startEdge } from '../edge.ts';

let edge: Edge;

beforeAll(async () => {
  edge = await startEdge({
    sessions: {
      createSession: ({ session, stateJson }) => {
        const { appName = '', userId = '', sessionId: id = '' } = session ?? {};
        return { session: { appName, userId, id, stateJson, lastUpdateTime: 1.5 } };
      },
    },
    auth: {
      getAccount: ({ id }) => {
        if (id === accountId) return { account: { id, userId: 7n, email: 'a@example.com', role: 'USER' } };
        throw new MeshError('not_found', 'account_not_found', 'User not found');
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

const sessions = '/apps/a/users/u/sessions';

describe('a length', () => {
  const tooLong = (loc: string[], max: number) => ({
    type: 'string_too_long',
    loc,
    msg: `String should have at most ${max} characters`,
    ctx: { max_length: max },
  });
  // Each character has two bytes: 514 bytes in 257 characters.
  const long = 'ä'.repeat(257);
  const fits = 'ä'.repeat(256);
  const run = { appName: 'a', userId: 'u', sessionId: 's', newMessage: { parts: [] } };

  it.each(['app_name', 'user_id', 'session_id'])('of %s in a path is at most 512 bytes', async (name) => {
    const path = (id: string) => {
      const ids = { app_name: 'a', user_id: 'u', session_id: 's', [name]: encodeURIComponent(id) };
      return `/apps/${ids.app_name}/users/${ids.user_id}/sessions/${ids.session_id}`;
    };
    const { status, body } = await edge.send(path(long));
    expect([status, body]).toMatchObject([422, { detail: [tooLong(['path', name], 512)] }]);
    expect((await edge.send(path('x'.repeat(4000)))).status).toBe(422);
    expect((await edge.send(path(fits), { json: {} })).status).toBe(200);
  });

  it.each(['appName', 'userId', 'sessionId'])('of %s in a run is at most 512 bytes', async (name) => {
    const { status, body } = await edge.send('/run', { json: { ...run, [name]: long } });
    expect([status, body]).toMatchObject([422, { detail: [tooLong(['body', name], 512)] }]);
  });

  it('is limited for new session ids, state keys and invocation ids', async () => {
    const key = 'ä'.repeat(513);
    const faultOf = async (path: string, json: object) => (await edge.send(path, { json })).body;
    expect(await faultOf(sessions, { sessionId: long })).toMatchObject({
      detail: [tooLong(['body', 'sessionId'], 512)],
    });
    expect(await faultOf(sessions, { state: { [key]: 1 } })).toMatchObject({
      detail: [tooLong(['body', 'state', key], 1024)],
    });
    expect(await faultOf('/run', { ...run, invocationId: 'x'.repeat(257) })).toMatchObject({
      detail: [tooLong(['body', 'invocationId'], 256)],
    });
  });

  it('of zero in a path is 404', async () => {
    for (const path of ['/apps//users/u/sessions', '/apps/a/users//sessions', '/apps//app-info']) {
      const { status, body } = await edge.send(path);
      expect([path, status, body]).toEqual([path, 404, { detail: 'Not Found' }]);
    }
  });
});

describe('a number that no double holds', () => {
  it('is 422 at its path, in free-form maps too', async () => {
    const text = '{"state":{"a":[1,{"n":-1e400}]}}';
    const { status, body } = await edge.send(sessions, { text, headers: { 'content-type': 'application/json' } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ type: 'finite_number', loc: ['body', 'state', 'a', 1, 'n'] }] });
  });
});
