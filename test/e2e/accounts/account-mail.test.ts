import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { mailedToken } from '../../outbox.ts';

const url = inject('meshUrl');
const dataDir = inject('dataDir');

const ok = { status: 200, body: { status: 'ok' } };

test('the token of a mail resets a forgotten password once, and ends all sign-ins of the account', async () => {
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const visitor = new Caller(url);
  expect(await visitor.request('POST', '/api/auth/forgot-password', { email: email.toUpperCase() })).toMatchObject(ok);
  const token = await mailedToken(dataDir, email, 'auth/reset-password');
  const reset = { token, new_password: 'a password never used before' };
  expect(await visitor.request('POST', '/api/auth/reset-password', reset)).toMatchObject(ok);
  await expect.poll(async () => (await caller.request('GET', '/api/users/me')).status).toBe(401);
  const again = await visitor.request('POST', '/api/auth/reset-password', reset);
  expect(again).toMatchObject({ status: 401, body: { detail: 'Invalid or expired token' } });
  const credentials = { email, password: reset.new_password };
  expect((await visitor.request('POST', '/api/auth/token', credentials)).status).toBe(200);
});

test('the token of a mail verifies an address, and no other route accepts that token', async () => {
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  expect(await caller.request('POST', '/api/auth/resend-verification', { email })).toMatchObject(ok);
  const token = await mailedToken(dataDir, email, 'auth/verify-email');
  const reset = await caller.request('POST', '/api/auth/reset-password', { token, new_password: 'long enough' });
  expect(reset).toMatchObject({ status: 401, body: { detail: 'Invalid token type' } });
  const asBearer = await new Caller(url, token).request('GET', '/api/users/me');
  expect(asBearer).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } });
  for (let n = 0; n < 2; n++)
    expect(await caller.request('POST', '/api/auth/verify-email', { token })).toMatchObject(ok);
});

test('the audit log of an account is visible only to itself and to admins', async () => {
  const [caller, other, root] = [await newAccount(url), await newAccount(url), new Caller(url)];
  const credentials = { email: 'root@example.com', password: 'the superadmin password' };
  root.token = (await root.request<{ access_token: string }>('POST', '/api/auth/token', credentials)).body.access_token;
  const me = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
  await caller.request('PATCH', `/api/users/${me.user_id}`, { first_name: 'Neu' });
  type Actions = { id: string; action: string; account_id: string }[];
  const own = (await caller.request<Actions>('GET', '/api/audit')).body;
  expect(own.map((entry) => entry.action)).toEqual(expect.arrayContaining(['profile_changed', 'signed_up']));
  expect(new Set(own.map((entry) => entry.account_id)).size).toBe(1);
  const read: string[] = [];
  for (let next: string | undefined = '?limit=1'; next !== undefined; ) {
    const page: Response = await caller.fetch('GET', `/api/audit${next}`);
    read.push(...((await page.json()) as Actions).map((entry) => entry.id));
    next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(read).toEqual(own.map((entry) => entry.id));
  const former = (await caller.request<{ next: string }>('GET', '/api/audit?limit=1&before=')).body;
  expect(former).toEqual({ entries: [own[0]], next: own[0]?.id });
  const second = await caller.request('GET', `/api/audit?limit=1&before=${former.next}`);
  expect(second.body).toMatchObject({ entries: [own[1]] });
  expect((await root.request('GET', `/api/audit?user_id=${me.user_id}`)).body).toEqual(own);
  expect((await root.request<Actions>('GET', '/api/audit')).body.length).toBeGreaterThan(own.length);
  expect((await other.request('GET', `/api/audit?user_id=${me.user_id}`)).status).toBe(403);
  expect((await new Caller(url).request('GET', '/api/audit')).status).toBe(401);
  expect((await caller.request('GET', '/api/audit?limit=0')).status).toBe(422);
});

test('an unknown address gets no mail and the same answer', async () => {
  const email = `${randomUUID()}@example.com`;
  for (const path of ['/api/auth/forgot-password', '/api/auth/resend-verification']) {
    expect(await new Caller(url).request('POST', path, { email })).toMatchObject(ok);
  }
});
