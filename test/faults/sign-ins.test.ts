import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';
import { msAccepted } from '../ms-accepted.ts';
import { median } from '../timing/mann-whitney.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
const formerKey = 'the key that signed tokens until it was changed';
const newKey = 'the key that has taken its place in the settings';

const resources = new AsyncDisposableStack();
let databaseUrl: string;
let one: TestMesh;
let other: TestMesh;

const start = async (env: Record<string, string> = {}): Promise<TestMesh> =>
  resources.use(await startMesh({ mode: 'all', databaseUrl, env: { ENCRYPT_KEY: formerKey, ...env } }));

beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  one = await start();
  other = await start();
  const person = { email, password, first_name: 'Ada', last_name: 'L' };
  await new Caller(one.url).request('POST', '/api/users/', person);
});
afterAll(() => resources.disposeAsync());

interface SignedIn {
  readonly token: string;
  readonly cookie: string;
}

async function readSignIn(answer: Response): Promise<SignedIn> {
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.status} ${await answer.text()}`);
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { token, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

async function signIn(mesh: TestMesh): Promise<SignedIn> {
  const body = new URLSearchParams({ username: email, password });
  return readSignIn(await fetch(`${mesh.url}/api/auth/token`, { method: 'POST', body }));
}

const post = (mesh: TestMesh, path: string, cookie: string) =>
  fetch(mesh.url + path, { method: 'POST', headers: { cookie } });
const refresh = async (mesh: TestMesh, cookie: string) =>
  readSignIn(await post(mesh, '/api/auth/refresh-token', cookie));
const me = (mesh: TestMesh, { token }: SignedIn) => new Caller(mesh.url, token).request('GET', '/api/users/me');

const revoked = { status: 401, body: { detail: 'session_revoked' } };

/** Breaks every connection on which a process listens for hints, so that hints sent now are lost. */
async function deafen(): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'agentmesh bus listen'`,
  );
  await client.end();
  return rowCount ?? 0;
}

interface Ended {
  readonly signedIn: SignedIn;
  /** For how many milliseconds the other replica accepted its token. */
  readonly acceptedMs: number;
}

/** Ends three sign-ins at one replica, one after the other. `prepare` is called before each end. */
async function endThree(prepare: () => Promise<void>): Promise<Ended[]> {
  const ended: Ended[] = [];
  while (ended.length < 3) {
    const signedIn = await signIn(one);
    expect((await me(other, signedIn)).status).toBe(200);
    await prepare();
    await post(one, '/api/auth/logout', signedIn.cookie);
    ended.push({ signedIn, acceptedMs: await msAccepted(() => me(other, signedIn), revoked) });
  }
  return ended;
}

/** A machine that stops a process for a moment may spoil one of three, but not their median. */
const usualMs = (ended: readonly Ended[]): number => median(ended.map(({ acceptedMs }) => acceptedMs));

describe('a sign-in that ends', () => {
  test('ended at one replica, ends within a second at the other and is refused by one that starts later', async () => {
    const ended = await endThree(() => Promise.resolve());
    expect(usualMs(ended)).toBeLessThan(1_000);
    const later = await start();
    for (const { signedIn } of ended) expect((await me(later, signedIn)).status).toBe(401);
  });

  test('ends within a second where the notification was lost', async () => {
    const ended = await endThree(async () => expect(await deafen()).toBeGreaterThan(0));
    expect(usualMs(ended)).toBeLessThan(1_000);
  });
});

test('concurrent refreshes with one cookie, at both replicas, get the same successor', async () => {
  let { cookie } = await signIn(one);
  for (let race = 0; race < 25; race += 1) {
    const racing = [one, other, one, other].map((mesh) => refresh(mesh, cookie));
    const successors = new Set((await Promise.all(racing)).map((signedIn) => signedIn.cookie));
    expect(successors.size).toBe(1);
    [cookie = ''] = successors;
  }
});

describe('after ENCRYPT_KEY has changed', () => {
  test('access tokens of the former key are refused even if it is set as previous key, and the cookie still works', async () => {
    const account = new Caller(one.url, (await signIn(one)).token);
    const made = await account.request<{ token: string }>('POST', '/api/auth/tokens', {
      name: 'a program',
      scopes: ['account:read'],
    });
    const before = await signIn(one);
    const changed = await start({ ENCRYPT_KEY: newKey, ENCRYPT_KEY_PREVIOUS: formerKey });
    expect(await me(changed, before)).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    });
    const after = await refresh(changed, before.cookie);
    expect(await me(changed, after)).toMatchObject({ status: 200, body: { email } });
    // A client that lost the answer may send the token again, to a gateway with either key.
    expect((await refresh(one, before.cookie)).cookie).toBe(after.cookie);
    const program = await me(changed, { token: made.body.token, cookie: '' });
    expect(program).toMatchObject({ status: 200, body: { email } });
    expect((await newAccount(changed.url)).token).not.toBe('');
  });
});
