import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { MeshError } from '@agentmesh/lib/rpc';
import { AccountChangedSchema } from '@agentmesh/proto/auth/v1';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scopes } from '../../src/edge/authentication/scopes.ts';
import { accountId, type Edge, type SendOptions, startEdge } from '../edge.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A token in the form that auth makes. */
function tokenOf(letter: string): string {
  const body = `agentmesh_pat_${letter.repeat(43)}`;
  let rest = crc32(body);
  let checksum = '';
  for (let place = 0; place < 6; place += 1, rest = Math.floor(rest / 62))
    checksum = digits.charAt(rest % 62) + checksum;
  return body + checksum;
}

const secret = tokenOf('a');
const record = { id: '5d4f4be6-1c9f-4e8f-9a53-0d6c7a5298a4', name: 'ci', scopes: [] as string[], userId: undefined };
let granted: { scopes: string[]; userId: string | undefined; expiresInMs: number; revoked: boolean };
let lookups = 0;
let made: unknown;
const revocations: object[] = [];

let edge: Edge;
beforeAll(async () => {
  const session = { appName: 'a', userId: 'u1', id: 's1', stateJson: new Uint8Array(), lastUpdateTime: 1 };
  edge = await startEdge({
    auth: {
      findPersonalToken: ({ hash }) => {
        lookups += 1;
        const known = createHash('sha256').update(secret).digest();
        if (granted.revoked || !known.equals(hash)) throw new MeshError('not_found', 'personal_token_not_found', 'x');
        const expiresAt = timestampFromMs(Date.now() + granted.expiresInMs);
        const { userId } = granted;
        const token = { ...record, scopes: granted.scopes, expiresAt, ...(userId !== undefined && { userId }) };
        return { accountId, email: 'a@example.com', token };
      },
      createPersonalToken: (request) => {
        made = { scopes: request.scopes, userId: request.userId, lifeSeconds: request.lifeSeconds };
        return { secret, token: { ...record, scopes: request.scopes, userId: request.userId ?? '' } };
      },
      revokePersonalToken: ({ accountId, id }) => (revocations.push({ accountId, id }), {}),
    },
    sessions: {
      createSession: () => ({ session }),
      patchSession: () => ({}),
      async *getSession() {
        yield { session };
      },
    },
  });
});
beforeEach(async () => {
  granted = { scopes: [...scopes], userId: undefined, expiresInMs: 60_000, revoked: false };
  await forget();
});
afterAll(() => edge[Symbol.asyncDispose]());

/** Makes the gateway drop its cached data of the account. */
const forget = () => edge.bus.publish(AccountChangedSchema, { accountId });

async function send(path: string, { headers, ...options }: SendOptions = {}, token = secret) {
  const answer = await edge.send(path, { ...options, headers: { authorization: `Bearer ${token}`, ...headers } });
  return { status: answer.status, detail: (answer.body as { detail?: unknown })?.detail, headers: answer.headers };
}

/** An operation of the OpenAPI document. */
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

async function listOperations() {
  const { paths } = (await edge.send('/openapi.json')).body as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: path.replaceAll(/\{\w+\}/g, '1'),
      method,
      ...operation,
    })),
  );
}

const sessions = '/apps/a/users/u1/sessions';
const run = (userId: string, over: object = {}) => ({
  json: { appName: 'a', userId, sessionId: 's1', newMessage: { parts: [{ text: 'hi' }] }, ...over },
});

describe('a personal token', () => {
  it('opens the routes of its scopes, and is looked up once', async () => {
    expect((await send(`${sessions}/s1`)).status).toBe(200);
    const before = lookups;
    for (let request = 0; request < 20; request += 1) expect((await send('/list-apps')).status).toBe(200);
    // The first read of changes drops older cache entries.
    expect(lookups - before).toBeLessThanOrEqual(1);
  });

  it('opens no other route, and the answer names the missing scope', async () => {
    granted.scopes = ['sessions:read'];
    expect((await send(`${sessions}/s1`)).status).toBe(200);
    for (const [path, options, scope] of [
      [sessions, { json: {} }, 'sessions:write'],
      [`${sessions}/s1`, { method: 'PATCH', json: { stateDelta: {} } }, 'sessions:write'],
      [`${sessions}/s1`, { method: 'DELETE' }, 'sessions:write'],
      ['/run', run('u1'), 'runs:write'],
      ['/run_sse', run('u1'), 'runs:write'],
      ['/list-apps', {}, 'apps:read'],
      ['/apps/a/app-info', {}, 'apps:read'],
      ['/api/users/me', {}, 'account:read'],
    ] as const) {
      const { status, detail, headers } = await send(path, options);
      expect([path, status, detail]).toEqual([path, 403, `Needs ${scope}.`]);
      expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
  });

  it('never opens accounts, sign-ins or other tokens, whatever its scopes', async () => {
    for (const [path, method] of [
      ['/api/auth/tokens', 'GET'],
      ['/api/auth/tokens', 'POST'],
      ['/api/auth/tokens', 'DELETE'],
      ['/api/auth/tokens/x', 'DELETE'],
      ['/api/auth/sessions', 'GET'],
      ['/api/auth/sessions', 'DELETE'],
      ['/api/auth/sessions/x', 'DELETE'],
      ['/api/users/', 'GET'],
      ['/api/users/1', 'GET'],
      ['/api/users/1', 'DELETE'],
      ['/api/users/email/a@example.com', 'DELETE'],
    ] as const) {
      const { status, detail } = await send(path, { method });
      expect([path, method, status, detail]).toEqual([path, method, 403, 'No personal token opens this.']);
    }
  });

  it.each([
    ['of another checksum', `${secret.slice(0, -1)}0`, false],
    ['cut short', secret.slice(0, -1), false],
    ['with more behind it', `${secret}0`, false],
    ['of nothing', 'agentmesh_pat_', false],
    ['that nobody made', tokenOf('b'), true],
  ])('%s is refused', async (_, token, isLookedUp) => {
    const before = lookups;
    const { status, detail, headers } = await send('/list-apps', {}, token);
    expect([status, detail]).toEqual([401, 'Could not validate credentials']);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(lookups - before).toBe(isLookedUp ? 1 : 0);
  });

  it.each([undefined, 'u1'])('revokes itself and no other, with any scope: user %s', async (userId) => {
    Object.assign(granted, { scopes: ['audio:write'], userId });
    revocations.length = 0;
    const [path, method] = ['/api/auth/tokens/current?id=x', 'DELETE'];
    const ofSignIn = await edge.send(path, { method });
    expect(ofSignIn).toMatchObject({ status: 404, body: { code: 'personal_token_not_found' } });
    expect((await send(path, { method })).status).toBe(200);
    expect(revocations).toEqual([{ accountId, id: record.id }]);
  });

  it('is refused after it has expired, although it is cached', async () => {
    granted.expiresInMs = 1_500;
    expect((await send('/list-apps')).status).toBe(200);
    await expect.poll(() => send('/list-apps')).toMatchObject({ status: 401 });
  });

  it('is refused at once when the bus reports its revocation', async () => {
    expect((await send('/list-apps')).status).toBe(200);
    granted.revoked = true;
    await forget();
    expect((await send('/list-apps')).status).toBe(401);
  });
});

describe('a personal token that is bound to an end user', () => {
  beforeEach(() => {
    granted.userId = 'u1';
  });

  it('reaches that user only', async () => {
    expect((await send(`${sessions}/s1`)).status).toBe(200);
    expect((await send(sessions, { json: { state: { 'user:a': 1, b: 2 } } })).status).toBe(200);
    expect((await send('/list-apps')).status).toBe(200);
    expect((await send('/run', run('u1'))).status).not.toBe(403);
  });

  it.each([
    ['/apps/a/users/u2/sessions/s1', {}],
    ['/apps/a/users/u2/sessions', {}],
    ['/apps/a/users/U1/sessions', {}],
    ['/apps/a/users/u1%20/sessions', {}],
    ['/apps/a/users/u2/sessions', { json: {} }],
    ['/run', run('u2')],
    ['/run_sse', run('u2')],
    ['/runs/e1/log', {}],
    ['/api/users/me', {}],
  ])('reaches no other: %s %j', async (path, options) => {
    const { status, detail } = await send(path, options);
    expect([status, detail]).toEqual([403, 'This token is bound to another user_id.']);
  });

  it('reaches no more when it adds its user to the query of a route that reads none there', async () => {
    const operations = await listOperations();
    const opened: string[] = [];
    let closed = 0;
    for (const { path, method, operationId, requestBody, parameters = [] } of operations) {
      if (parameters.some(({ in: place, name }) => place === 'query' && name === 'user_id')) continue;
      const json = requestBody?.content['application/json']?.example;
      const options = { method: method.toUpperCase(), ...(json !== undefined && { json }) };
      if ((await send(path, options)).status !== 403) continue;
      closed += 1;
      // The deletion of all memories takes no parameters that it does not know.
      const refusal = operationId === 'deleteMemories' ? 422 : 403;
      if ((await send(`${path}?user_id=u1&userId=u1`, options)).status !== refusal) opened.push(operationId);
    }
    expect(opened).toEqual([]);
    expect(closed).toBeGreaterThan(50);
  });

  it('opens no route of the whole account, also when a request names its user wherever it can', async () => {
    const tags = ['accounts', 'agents', 'integrations', 'keys', 'notifications', 'schedules', 'usage', 'webhooks'];
    const operations = (await listOperations()).filter(
      ({ tags: [tag = ''], security }) => tags.includes(tag) && security?.length !== 0,
    );
    const opened: string[] = [];
    for (const { path, method, operationId, requestBody } of operations) {
      const example = JSON.stringify(requestBody?.content['application/json']?.example ?? {});
      const json = JSON.parse(example.replaceAll(/"(user_?id)":"[^"]*"/gi, '"$1":"u1"')) as object;
      const hasBody = method !== 'get' && method !== 'delete';
      const answer = await send(`${path}?user_id=u1`, { method: method.toUpperCase(), ...(hasBody && { json }) });
      if (![403, 422].includes(answer.status)) opened.push(operationId);
    }
    // The use of models by its own end user, and the end of the token itself.
    expect(opened).toEqual(['revokeCurrentPersonalToken', 'getUsage']);
    expect(operations.length).toBeGreaterThan(40);
  });

  it.each([
    [sessions, { json: { state: { 'app:a': 1 } } }],
    [sessions, { json: { events: [{ author: 'x', actions: { stateDelta: { 'app:a': 1 } } }] } }],
    [`${sessions}/s2`, { method: 'POST', json: { 'app:a': 1 } }],
    [`${sessions}/s1`, { method: 'PATCH', json: { stateDelta: { 'app:a': 1 } } }],
    ['/run', run('u1', { stateDelta: { 'app:a': 1 } })],
  ])('sets no state of the whole application: %s %j', async (path, options) => {
    const { status, detail } = await send(path, options);
    expect([status, detail]).toEqual([403, 'A token that is bound to a user_id cannot set app: state.']);
  });
});

describe('the tokens of an account', () => {
  const createOne = (json: object) => edge.send('/api/auth/tokens', { json });

  it('last ninety days by default, and are shown once', async () => {
    const { status, body, headers } = await createOne({ name: 'ci', scopes: ['runs:write'] });
    expect([status, body]).toMatchObject([201, { name: 'ci', token: secret, scopes: ['runs:write'] }]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(made).toEqual({ scopes: ['runs:write'], userId: undefined, lifeSeconds: 7_776_000n });
    await createOne({ name: 'web', scopes: ['runs:write'], user_id: 'u1', expires_in_seconds: 600 });
    expect(made).toEqual({ scopes: ['runs:write'], userId: 'u1', lifeSeconds: 600n });
  });

  it.each([
    [{ scopes: ['runs:write'] }, 'name', 'missing'],
    [{ name: '', scopes: ['runs:write'] }, 'name', 'string_too_short'],
    [{ name: 'x' }, 'scopes', 'missing'],
    [{ name: 'x', scopes: [] }, 'scopes', 'too_short'],
    [{ name: 'x', scopes: ['runs:delete'] }, 'scopes', 'literal_error'],
    [{ name: 'x', scopes: ['runs:write'], user_id: '' }, 'user_id', 'string_too_short'],
    [{ name: 'x', scopes: ['runs:write'], expires_in_seconds: 59 }, 'expires_in_seconds', 'greater_than_equal'],
    [{ name: 'x', scopes: ['runs:write'], expires_in_seconds: 1e9 }, 'expires_in_seconds', 'less_than_equal'],
  ])('are checked before they are made: %j', async (json, field, type) => {
    const { status, body } = await createOne(json);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ type, loc: ['body', field, ...(type === 'literal_error' ? [0] : [])] }] });
  });
});

it('opens no trace of any run, because a trace names no end user', async () => {
  await using own = await startEdge({
    env: { ADK_WEB_UI: 'true' },
    auth: {
      findPersonalToken: () => ({
        accountId,
        email: 'a@example.com',
        token: { ...record, scopes: [...scopes], userId: 'u1', expiresAt: timestampFromMs(Date.now() + 60_000) },
      }),
    },
  });
  for (const path of ['/dev/apps/a/debug/trace/session/s1', '/dev/apps/a/debug/trace/e1']) {
    const { status, body } = await own.send(path, { headers: { authorization: `Bearer ${secret}` } });
    expect([status, body]).toEqual([403, { detail: 'No personal token opens this.' }]);
  }
});
