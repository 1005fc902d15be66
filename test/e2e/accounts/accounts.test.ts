import { createHmac } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { Caller, newAccount, sessionPath } from '../../caller.ts';
import { encryptKey } from '../../mesh.ts';

const url = inject('meshUrl');

function forge(header: object, claims: object, key = encryptKey): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${key === '' ? '' : createHmac('sha256', key).update(signed).digest('base64url')}`;
}

const hs256 = { alg: 'HS256', typ: 'JWT' };
const now = Math.floor(Date.now() / 1000);
const claims = {
  sub: 'ada@example.com',
  uid: '7b1f6c2e-43a1-4c56-8f0e-1f2a7f0a9d10',
  role: 'USER',
  type: 'access',
  jti: 'x',
  iat: now,
  exp: now + 3_600,
};

describe('sign-in', () => {
  const form = (fields: Record<string, string>): Promise<Response> =>
    fetch(`${url}/api/auth/token`, { method: 'POST', body: new URLSearchParams(fields) });

  test('accepts JSON and the OAuth2 form', async () => {
    const caller = new Caller(url);
    const credentials = { email: 'root@example.com', password: 'the superadmin password' };
    const byJson = await caller.request('POST', '/api/auth/token', credentials);
    expect(byJson).toMatchObject({ status: 200, body: { token_type: 'bearer', access_token: expect.any(String) } });
    const byForm = await form({ username: 'Root@Example.com', password: credentials.password });
    expect(byForm.status).toBe(200);
    const wrongGrant = await form({ username: 'a@b.c', password: 'x', grant_type: 'client_credentials' });
    expect(wrongGrant.status).toBe(422);
  });

  test('gives the same answer for a wrong password and an unknown address, not that of a bad bearer token', async () => {
    const caller = new Caller(url);
    const answers = await Promise.all(
      ['root@example.com', 'nobody@example.com'].map((email) =>
        caller.request('POST', '/api/auth/token', { email, password: 'wrong password' }),
      ),
    );
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toMatchObject({ detail: 'Invalid email or password' });
      expect(headers.get('www-authenticate')).toBeNull();
    }
  });

  test('gives a token with the documented claims', async () => {
    const caller = await newAccount(url);
    const payload: unknown = JSON.parse(Buffer.from(caller.token?.split('.')[1] ?? '', 'base64url').toString());
    expect(payload).toMatchObject({ sub: expect.stringContaining('@example.com'), role: 'USER', type: 'access' });
    expect(payload).toMatchObject({ uid: expect.any(String), jti: expect.any(String), iat: expect.any(Number) });
    const { exp, iat } = payload as { exp: number; iat: number };
    expect(exp - iat).toBe(120 * 60);
  });
});

describe('sign-up', () => {
  test('refuses an address that is in use, in upper or lower case', async () => {
    const caller = new Caller(url);
    const person = { password: 'long enough', first_name: 'A', last_name: 'B' };
    const answer = await caller.request('POST', '/api/users/', { ...person, email: 'ROOT@example.com' });
    expect(answer).toMatchObject({ status: 409, body: { detail: 'Email already in use.' } });
  });

  test('names every bad field and repeats no password', async () => {
    const answer = await new Caller(url).request<{ detail: { loc: string[] }[] }>('POST', '/api/users/', {
      email: 'not an address',
      password: 'geheim',
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail.map((issue) => issue.loc.join('.'))).toEqual(
      expect.arrayContaining(['body.first_name', 'body.last_name', 'body.email', 'body.password']),
    );
    expect(JSON.stringify(answer.body)).not.toContain('geheim');
  });

  test('never creates an admin', async () => {
    const email = `admin-${Date.now()}@example.com`;
    const person = { email, password: 'long enough', first_name: 'A', last_name: 'B', role: 'ADMIN' };
    const answer = await new Caller(url).request('POST', '/api/users/', person);
    expect(answer).toMatchObject({ status: 201, body: { role: 'USER', email } });
    expect(JSON.stringify(answer.body)).not.toContain('password');
  });
});

describe('a token', () => {
  const cases: [string, string | undefined, string][] = [
    ['is required', undefined, 'Not authenticated'],
    ['must be a token', 'garbage', 'Could not validate credentials'],
    ['with another key is refused', forge(hs256, claims, 'another key'), 'Could not validate credentials'],
    ['with an empty key is refused', forge(hs256, claims, ''), 'Could not validate credentials'],
    ['without algorithm is refused', forge({ alg: 'none' }, claims, ''), 'Could not validate credentials'],
    ['of another algorithm is refused', forge({ alg: 'HS512' }, claims), 'Could not validate credentials'],
    ['that has expired is refused', forge(hs256, { ...claims, exp: now - 1 }), 'Could not validate credentials'],
    [
      'of another type is refused',
      forge(hs256, { ...claims, type: 'refresh' }),
      'Invalid token type. Access token required.',
    ],
    ['of an unknown account is refused', forge(hs256, claims), 'User not found'],
  ];

  test.each(cases)('%s', async (_, token, detail) => {
    const answer = await new Caller(url, token).request('GET', '/list-apps');
    expect(answer).toMatchObject({ status: 401, body: { detail } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('is required by every route that is not public', async () => {
    const caller = new Caller(url);
    for (const path of [
      '/health',
      '/livez',
      '/readyz',
      '/health/live',
      '/health/ready',
      '/api/config',
      '/openapi.json',
    ]) {
      expect([path, (await caller.request('GET', path)).status]).toEqual([path, 200]);
    }
    for (const path of [
      '/version',
      '/list-apps',
      '/apps/echo/app-info',
      '/apps/echo/users/u1/sessions',
      '/api/users/me',
    ]) {
      expect([path, (await caller.request('GET', path)).status]).toEqual([path, 401]);
    }
  });
});

test('the same names in another account are another session', async () => {
  const [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
  const mine = await ada.createSession('echo', { sessionId: 's1', state: { 'app:a': 1, 'user:b': 2, c: 3 } });
  const unknown = await bob.request('GET', sessionPath({ ...mine, id: 'never-made' }));
  const foreign = await bob.request('GET', sessionPath(mine));
  expect(foreign).toMatchObject({ status: unknown.status, body: unknown.body });
  expect((await bob.run(mine, 'hi')).status).toBe(404);
  expect((await bob.request('PATCH', sessionPath(mine), { stateDelta: { c: 4 } })).status).toBe(404);
  expect((await bob.request('DELETE', sessionPath(mine))).body).toBeNull();
  const theirs = await bob.createSession('echo', { sessionId: 's1' });
  expect(theirs.state).toEqual({});
  expect((await ada.readSession(mine)).state).toEqual({ 'app:a': 1, 'user:b': 2, c: 3 });
});

test('a path under /api/auth/mfa/ is not found with and without a token', async () => {
  const callers = [new Caller(url), await newAccount(url)];
  for (const caller of callers) {
    for (const method of ['GET', 'POST']) {
      expect((await caller.request(method, '/api/auth/mfa/enroll')).status).toBe(404);
    }
  }
});
