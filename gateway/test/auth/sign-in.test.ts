import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

const signedIn = { accessToken: 'an access token', refreshToken: { value: 'r'.repeat(86), maxAgeSeconds: 2_592_000n } };
const withoutToken = { authorization: null };

let edge: Edge;
const asked: unknown[] = [];
beforeAll(async () => {
  const auth = {
    signIn: (request: { email: string; password: string; device?: unknown }) => {
      asked.push({ email: request.email, password: request.password });
      return signedIn;
    },
    refresh: ({ refreshToken }: { refreshToken: string }) => {
      asked.push(refreshToken);
      if (refreshToken !== 'good') throw new MeshError('unauthenticated', 'session_revoked', 'Session revoked');
      return signedIn;
    },
    signOut: ({ refreshToken }: { refreshToken: string }) => {
      asked.push(refreshToken);
      return {};
    },
  };
  edge = await startEdge({ auth, env: { CORS_ALLOWED_ORIGINS: 'https://app.example,*' } });
});
afterAll(() => edge[Symbol.asyncDispose]());

describe('sign-in', () => {
  const credentials = { email: 'a@example.com', password: 'pä$$ & wörd' };
  const form = { username: credentials.email, password: credentials.password };
  const token = { token_type: 'bearer', access_token: 'an access token' };
  const cookie = `refresh_token=${'r'.repeat(86)}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`;

  const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
    fetch(`${edge.url}/api/auth/token`, { method: 'POST', body, headers });

  it.each<[string, () => Promise<Response>]>([
    ['JSON', () => post(JSON.stringify(credentials), { 'content-type': 'application/json' })],
    ['an urlencoded form', () => post(new URLSearchParams(form))],
    ['a multipart form', () => post(formOf(form))],
  ])('takes %s and sets the refresh cookie', async (_, send) => {
    const answer = await send();
    expect([answer.status, await answer.json()]).toEqual([200, token]);
    expect(answer.headers.getSetCookie()).toEqual([cookie]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(asked.at(-1)).toEqual(credentials);
  });

  it('names missing fields of a multipart form', async () => {
    for (const body of [formOf({ username: 'a@example.com' }), new URLSearchParams({ username: 'a@example.com' })]) {
      const answer = await post(body);
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ detail: [{ type: 'missing', loc: ['body', 'password'] }] });
    }
    expect((await post(formOf({ ...form, grant_type: 'implicit' }))).status).toBe(422);
  });

  it('refuses a multipart form that is invalid or far too large', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await post('--y nonsense', headers)).status).toBe(400);
    expect((await post('--x', { 'content-type': 'multipart/form-data' })).status).toBe(400);
    expect((await post('', headers)).status).toBe(422);
    expect((await post(formOf({ ...form, state: 'x'.repeat(100_000) }))).status).toBe(413);
  });

  it('ignores the files of a multipart form', async () => {
    const body = formOf({ username: form.username });
    body.append('password', new Blob([form.password]), 'password.txt');
    expect((await post(body)).status).toBe(422);
  });

  it('marks the cookie as secure if the public address is https', async () => {
    const auth = { signIn: () => signedIn };
    for (const env of [{ PUBLIC_BASE_URL: 'https://mesh.example' }, { NODE_ENV: 'production' }]) {
      await using secure = await startEdge({ auth, env });
      const { headers } = await secure.send('/api/auth/token', { json: credentials });
      expect(headers.getSetCookie()).toEqual([
        `${cookie}; Secure`.replace('HttpOnly; SameSite=Lax; Secure', 'HttpOnly; Secure; SameSite=Lax'),
      ]);
    }
  });
});

describe('a refresh', () => {
  const refresh = async (headers: Record<string, string | null> = {}) => {
    const answer = await edge.send('/api/auth/refresh-token', {
      method: 'POST',
      headers: { ...withoutToken, ...headers },
    });
    return { status: answer.status, detail: (answer.body as { detail?: string }).detail, answer };
  };

  it('answers a token and replaces the cookie', async () => {
    const { status, answer } = await refresh({ cookie: 'a=b; refresh_token=good; c="d"' });
    expect([status, answer.body]).toEqual([200, { token_type: 'bearer', access_token: 'an access token' }]);
    expect(answer.headers.getSetCookie()[0]).toContain(`refresh_token=${'r'.repeat(86)}; Max-Age=2592000; Path=/;`);
  });

  it.each([undefined, '', 'other=1', 'refresh_token=', '=;;;=', 'refresh_token'])(
    'without the cookie is refused: %j',
    async (cookie) => {
      expect(await refresh(cookie === undefined ? {} : { cookie })).toMatchObject({
        status: 401,
        detail: 'Missing refresh token',
      });
    },
  );

  it('answers the reason of a refusal, without a bearer challenge', async () => {
    const { status, detail, answer } = await refresh({ cookie: 'refresh_token=bad' });
    expect([status, detail]).toEqual([401, 'Session revoked']);
    expect(answer.headers.get('www-authenticate')).toBeNull();
  });

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
  ])('from a page of another site is refused though * may call: %j', async (headers, status) => {
    const cookie = 'refresh_token=good';
    expect((await refresh({ cookie, ...headers })).status).toBe(status);
    const logout = { method: 'POST', headers: { ...withoutToken, cookie, ...headers } };
    expect((await edge.send('/api/auth/logout', logout)).status).toBe(status);
  });

  it('from a page of the API’s own host is served', async () => {
    expect((await refresh({ cookie: 'refresh_token=good', origin: edge.url })).status).toBe(200);
  });
});

describe('logout', () => {
  it('clears the cookie whether one was sent or not, and needs no token', async () => {
    for (const [cookie, ended] of [
      ['refresh_token=one', ['one']],
      [null, []],
    ] as const) {
      asked.length = 0;
      const options = { method: 'POST', headers: { ...withoutToken, cookie } };
      const { status, body, headers } = await edge.send('/api/auth/logout', options);
      expect([status, body, asked]).toEqual([200, { status: 'ok' }, ended]);
      expect(headers.getSetCookie()).toEqual(['refresh_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
    }
  });

  it('accepts only POST', async () => {
    expect((await edge.send('/api/auth/logout')).status).toBe(405);
  });

  it('and refresh stay when passwords are switched off', async () => {
    await using edgeWithout = await startEdge({ env: { AUTH_BASIC_ENABLED: 'false' } });
    expect((await edgeWithout.send('/api/auth/logout', { method: 'POST' })).status).toBe(200);
    expect((await edgeWithout.send('/api/auth/refresh-token', { method: 'POST' })).status).toBe(401);
    expect((await edgeWithout.send('/api/auth/token', { json: {} })).status).toBe(404);
  });
});

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
