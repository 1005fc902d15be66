import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { encryptKey } from '../../mesh.ts';
import { msAccepted } from '../../ms-accepted.ts';

const url = inject('meshUrl');
const revoked = { status: 401, body: { detail: 'session_revoked' } };

interface SignIn {
  readonly caller: Caller;
  readonly cookie: string;
}

let email: string;
const password = 'correct horse battery';
beforeAll(async () => {
  email = `${randomUUID()}@example.com`;
  const person = { email, password, first_name: 'Ada', last_name: 'L' };
  await new Caller(url).request('POST', '/api/users/', person);
});

async function signIn(): Promise<SignIn> {
  return signedIn(
    await fetch(`${url}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'a test' },
      body: JSON.stringify({ email, password }),
    }),
  );
}

async function signedIn(answer: Response): Promise<SignIn> {
  expect(answer.status).toBe(200);
  const [cookie = ''] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^refresh_token=[\w-]{86}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  const { access_token } = (await answer.json()) as { access_token: string };
  return { caller: new Caller(url, access_token), cookie: cookie.split(';')[0] ?? '' };
}

const withCookie = (path: string, cookie: string) => fetch(url + path, { method: 'POST', headers: { cookie } });
const refresh = (cookie: string) => withCookie('/api/auth/refresh-token', cookie);
const me = async ({ caller }: SignIn) => caller.request('GET', '/api/users/me');

/** Expects that no request is accepted that begins a second after `end`. */
async function endsWithinASecond(ended: SignIn, end: () => Promise<unknown>): Promise<void> {
  expect((await me(ended)).status).toBe(200);
  await end();
  expect(await msAccepted(() => me(ended), revoked)).toBeLessThan(1_000);
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed with the right key, with HS256 unless `header` says otherwise. */
function forge(claims: object, header: object = {}): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', encryptKey).update(signed).digest('base64url')}`;
}

describe('a token of one kind never works as another', () => {
  const bad = { status: 401, body: { detail: 'Could not validate credentials' } };

  test('as a bearer', async () => {
    const { cookie, caller } = await signIn();
    const claims = JSON.parse(Buffer.from(caller.token?.split('.')[1] ?? '', 'base64url').toString()) as object;
    const as = (token: string) => new Caller(url, token).request('GET', '/api/users/me');
    expect(await as(forge(claims))).toMatchObject({ status: 200 });
    expect(await as(cookie.slice('refresh_token='.length))).toMatchObject(bad);
    expect(await as(cookie)).toMatchObject(bad);
    for (const type of [
      'refresh',
      'agent_refresh',
      'password_reset',
      'email_verify',
      'download',
      'browser',
      'ACCESS',
      '',
      null,
    ]) {
      const detail = 'Invalid token type. Access token required.';
      expect(await as(forge({ ...claims, type }))).toMatchObject({ status: 401, body: { detail } });
    }
  });

  test('as a refresh cookie', async () => {
    const { caller } = await signIn();
    const body = { name: 'x', scopes: ['account:read'] };
    const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', body);
    for (const value of [caller.token, made.body.token, forge({ type: 'refresh', sub: email })]) {
      const answer = await refresh(`refresh_token=${value}`);
      expect([answer.status, await answer.json()]).toMatchObject([401, { detail: 'Invalid or expired token' }]);
    }
  });

  test('not even with another algorithm or key in its header', async () => {
    const { caller } = await signIn();
    const claims = JSON.parse(Buffer.from(caller.token?.split('.')[1] ?? '', 'base64url').toString()) as object;
    const jwk = { kty: 'oct', k: Buffer.from('attacker').toString('base64url') };
    for (const header of [
      { alg: 'none' },
      { alg: 'NONE' },
      { alg: 'HS384' },
      { alg: 'RS256' },
      { alg: ['HS256'] },
      { crit: ['exp'] },
      { b64: false, crit: ['b64'] },
      { jwk, alg: 'ES256' },
    ]) {
      expect([header, await new Caller(url, forge(claims, header)).request('GET', '/api/users/me')]).toMatchObject([
        header,
        bad,
      ]);
    }
    const [head = '', payload = ''] = forge(claims).split('.');
    for (const token of [
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `${head}..`,
      `${head}.${payload}.${'A'.repeat(43)}`,
    ]) {
      expect([token.length, await new Caller(url, token).request('GET', '/api/users/me')]).toMatchObject([
        token.length,
        bad,
      ]);
    }
  });
});

describe('a sign-in', () => {
  test('is refreshed by its cookie; the previous cookie returns the same successor again', async () => {
    const first = await signIn();
    const second = await signedIn(await refresh(first.cookie));
    expect((await me(second)).body).toMatchObject({ email });
    expect((await signedIn(await refresh(first.cookie))).cookie).toBe(second.cookie);
  });

  test('ends within a second when an older refresh token is replayed', async () => {
    const first = await signIn();
    const second = await signedIn(await refresh(first.cookie));
    const third = await signedIn(await refresh(second.cookie));
    await endsWithinASecond(third, async () => expect((await refresh(first.cookie)).status).toBe(401));
    expect(await (await refresh(third.cookie)).json()).toMatchObject({ detail: 'Session revoked' });
  });

  test('ends within a second after its logout, and no other sign-in ends', async () => {
    const [ended, other] = [await signIn(), await signIn()];
    await endsWithinASecond(ended, async () => {
      const answer = await withCookie('/api/auth/logout', ended.cookie);
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
      expect(answer.headers.getSetCookie()).toEqual(['refresh_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
    });
    expect((await refresh(ended.cookie)).status).toBe(401);
    expect((await me(other)).status).toBe(200);
  });

  test('is listed for its account, which can end one, all others, or all', async () => {
    const [one, own, other] = [await signIn(), await signIn(), await signIn()];
    const list = async () => (await own.caller.request<Record<string, unknown>[]>('GET', '/api/auth/sessions')).body;
    const before = await list();
    expect(before.filter(({ current }) => current)).toHaveLength(1);
    expect(before[0]).toMatchObject({ user_agent: 'a test', address: '127.0.0.1', current: false });
    const { body } = await one.caller.request<{ id: string; current: boolean }[]>('GET', '/api/auth/sessions');
    const id = body.find(({ current }) => current)?.id ?? '';

    const stranger = await newAccount(url);
    expect((await stranger.request('DELETE', `/api/auth/sessions/${id}`)).status).toBe(404);
    await endsWithinASecond(one, async () => {
      expect((await own.caller.request('DELETE', `/api/auth/sessions/${id}`)).body).toEqual({ status: 'ok' });
    });
    await endsWithinASecond(other, () => own.caller.request('DELETE', '/api/auth/sessions?keep_current=true'));
    expect(await list()).toMatchObject([{ current: true }]);
    await endsWithinASecond(own, () => own.caller.request('DELETE', '/api/auth/sessions'));
    expect((await refresh(own.cookie)).status).toBe(401);
    expect((await me(await signIn())).status).toBe(200);
    expect((await stranger.request('GET', '/api/users/me')).status).toBe(200);
  });

  test('also accepts a multipart form', async () => {
    const body = new FormData();
    body.append('username', email.toUpperCase());
    body.append('password', password);
    await signedIn(await fetch(`${url}/api/auth/token`, { method: 'POST', body }));
  });
});

describe('a token that was issued for the refresh cookie', () => {
  const token = { name: 'a test', scopes: ['runs:write'] };
  const refused = { status: 403, body: { code: 'password_required' } };

  test('creates no personal token and deletes no account: both need a token that was issued for the password', async () => {
    const fresh = await signIn();
    const { caller } = await signedIn(await refresh(fresh.cookie));
    expect((await caller.request('GET', '/api/auth/tokens')).status).toBe(200);
    expect(await caller.request('POST', '/api/auth/tokens', token)).toMatchObject(refused);
    const { user_id } = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
    expect(await caller.request('DELETE', `/api/users/${user_id}`)).toMatchObject(refused);
    expect(await caller.request('DELETE', `/api/users/email/${email}`)).toMatchObject(refused);
    expect((await fresh.caller.request('POST', '/api/auth/tokens', token)).status).toBe(201);
  });

  test('signs out everywhere, and revokes the personal tokens only when it is asked to', async () => {
    const { caller } = await signIn();
    const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
      ...token,
      scopes: ['account:read'],
    });
    const program = new Caller(url, made.body.token);
    expect((await caller.request('DELETE', '/api/auth/sessions?keepCurrent=true')).status).toBe(422);
    await caller.request('DELETE', '/api/auth/sessions?keep_current=true');
    expect((await program.request('GET', '/api/users/me')).status).toBe(200);
    await caller.request('DELETE', '/api/auth/sessions?tokens=true');
    await expect.poll(async () => (await program.request('GET', '/api/users/me')).status).toBe(401);
    await expect.poll(async () => (await caller.request('GET', '/api/users/me')).status).toBe(401);
  });
});
