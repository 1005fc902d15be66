import { describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');

interface User {
  user_id: number;
  email: string;
  role: string;
}

async function signedIn(): Promise<{ caller: Caller; me: User }> {
  const caller = await newAccount(url);
  return { caller, me: (await caller.request<User>('GET', '/api/users/me')).body };
}

async function admin(): Promise<Caller> {
  const caller = new Caller(url);
  const credentials = { email: 'root@example.com', password: 'the superadmin password' };
  caller.token = (
    await caller.request<{ access_token: string }>('POST', '/api/auth/token', credentials)
  ).body.access_token;
  return caller;
}

describe('accounts among themselves', () => {
  test('get the same answer for another account and for one that does not exist', async () => {
    const [{ caller }, other] = await Promise.all([signedIn(), signedIn()]);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      const foreign = await caller.request(method, `/api/users/${other.me.user_id}`, body);
      const unknown = await caller.request(method, '/api/users/999999999', body);
      expect(foreign.status).toBe(403);
      expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
    }
    expect((await caller.request('GET', `/api/users/email/${other.me.email}`)).status).toBe(403);
    expect((await caller.request('GET', '/api/users/email/nobody@example.com')).status).toBe(403);
    expect((await caller.request('GET', '/api/users/')).body).toMatchObject({ detail: 'Not enough permissions' });
    expect((await other.caller.request('GET', '/api/users/me')).status).toBe(200);
  });

  test('can read and change their own data, but not their role', async () => {
    const { caller, me } = await signedIn();
    const path = `/api/users/${me.user_id}`;
    expect((await caller.request('GET', path)).body).toEqual(me);
    expect((await caller.request('GET', `/api/users/email/${me.email.toUpperCase()}`)).body).toEqual(me);
    const changed = await caller.request('PATCH', path, { first_name: 'Neu', role: 'ADMIN' });
    expect(changed).toMatchObject({ status: 200, body: { first_name: 'Neu', last_name: 'L', role: 'USER' } });
  });
});

describe('an admin', () => {
  test('lists all accounts page by page', async () => {
    const [root, { me }] = await Promise.all([admin(), signedIn()]);
    const list = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (let page = 1; ; page++) {
        const { body } = await root.request<{ results: User[]; has_next: boolean }>(
          'GET',
          `/api/users?page=${page}&size=2`,
        );
        seen.push(...body.results.map((user) => user.user_id));
        if (!body.has_next) return seen;
      }
    };
    // Tests beside this one delete accounts between two pages, which moves the others.
    const isWhole = (seen: number[]) => seen.includes(me.user_id) && new Set(seen).size === seen.length;
    await expect.poll(list).toSatisfy(isWhole);
  });

  test('reads and deletes any account, and gets 404 for one that does not exist', async () => {
    const [root, { caller, me }] = await Promise.all([admin(), signedIn()]);
    const path = `/api/users/${me.user_id}`;
    expect((await root.request('GET', path)).body).toEqual(me);
    expect((await root.request('DELETE', path)).status).toBe(204);
    expect(await root.request('GET', path)).toMatchObject({ status: 404, body: { detail: 'User not found' } });
    await expect.poll(async () => (await caller.request('GET', '/api/users/me')).status).toBe(401);
  });
});

test('a deleted account is refused within a second, and its address can be used again', async () => {
  const { caller, me } = await signedIn();
  expect((await caller.request('DELETE', `/api/users/${me.user_id}`)).status).toBe(204);
  await expect
    .poll(() => caller.request('GET', '/api/users/me'))
    .toMatchObject({ status: 401, body: { detail: 'User not found' } });
  const person = { email: me.email, password: 'somebody else', first_name: 'N', last_name: 'O' };
  const again = await new Caller(url).request<User>('POST', '/api/users/', person);
  expect(again.status).toBe(201);
  expect(again.body.user_id).not.toBe(me.user_id);
  expect((await caller.request('GET', '/api/users/me')).status).toBe(401);
});
