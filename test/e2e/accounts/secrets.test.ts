import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { encryptKey, startMesh, type TestMesh } from '../../mesh.ts';
import { mailedToken } from '../../outbox.ts';
import { SecretWatch } from '../../secret-watch.ts';
import { settledLog } from '../settled-log.ts';

const json = { 'content-type': 'application/json' };
const email = 'ada@example.com';

const resources = new AsyncDisposableStack();
const watch = new SecretWatch();
const password = watch.plant('password', 'the planted “password” & more');
const nextPassword = watch.plant('next password', 'another planted “password” & more');
const wrongPassword = watch.plant('wrong password', 'a planted wrong password');
watch.plant('ENCRYPT_KEY', encryptKey);
let mesh: TestMesh;
let databaseUrl: string;

/** A mesh of its own that logs everything. */
beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  const keys = { MESH_KEY: watch.plant('MESH_KEY', 'a planted key of the mesh') };
  const env = { LOG_LEVEL: 'trace', AUTH_EMAIL_VERIFICATION_REQUIRED: 'true', ...keys };
  mesh = resources.use(await startMesh({ mode: inject('mode'), databaseUrl, env }));
});
afterAll(() => resources.disposeAsync());

const url = (path: string): string => mesh.url + path;
const post = (path: string, body: object | string, reveals: readonly string[] = []) =>
  watch.ask(
    url(path),
    { method: 'POST', headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) },
    reveals,
  );
const withToken = (token: string) => ({ authorization: `Bearer ${token}` });

interface SignedIn {
  readonly token: string;
  readonly cookie: string;
}

let signIns = 0;

/** Sends a request that is answered with a token and a cookie, and plants both as secrets. */
async function signedIn(send: (reveals: readonly string[]) => ReturnType<typeof post>): Promise<SignedIn> {
  signIns += 1;
  const names = [`access token ${signIns}`, `refresh token ${signIns}`] as const;
  const answer = await send(names);
  const { access_token: token } = JSON.parse(answer.text) as { access_token: string };
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  watch.plant(names[0], token);
  watch.plant(names[1], cookie.slice('refresh_token='.length));
  // The second half alone is a secret too: the first half is an id that is stored in plain text.
  watch.plant(`${names[1]}, its secret`, cookie.slice(-43));
  return { token, cookie };
}

const refresh = ({ cookie }: SignedIn) =>
  signedIn((reveals) =>
    watch.ask(
      url('/api/auth/refresh-token'),
      { method: 'POST', headers: { cookie } },
      reveals.flatMap((name) => [name, `${name}, its secret`]),
    ),
  );

const signIn = (by = password) =>
  signedIn((reveals) =>
    post(
      '/api/auth/token',
      { email, password: by },
      reveals.flatMap((name) => [name, `${name}, its secret`]),
    ),
  );

/** Token of the mail that links to a page. No answer may contain it. */
async function mailed(page: 'verify-email' | 'reset-password'): Promise<string> {
  return watch.plant(`token of ${page}`, await mailedToken(mesh.dataDir, email, `auth/${page}`));
}

describe('secrets', () => {
  test('verify an address when they come by mail', { timeout: 60_000 }, async () => {
    await post('/api/users/', { email, password, first_name: 'Ada', last_name: 'L' });
    await post('/api/auth/token', { email, password });
    const token = await mailed('verify-email');
    await post('/api/auth/verify-email', { token: [token] });
    await post('/api/auth/reset-password', { token, new_password: nextPassword });
    expect((await post('/api/auth/verify-email', { token })).status).toBe(200);
  });

  test('are used in every valid way and in some invalid ones', { timeout: 60_000 }, async () => {
    await post('/api/users/', { email, password });
    await post('/api/users/', { email, password: [password], first_name: { password }, last_name: 'L' });
    await post('/api/auth/token', { email, password: wrongPassword });
    await post('/api/auth/token', { email: 'nobody@example.com', password: wrongPassword });
    await post('/api/auth/token', { email, password: [wrongPassword] });
    await post('/api/auth/token', `{"email": "${email}", "password": "${wrongPassword}"`);
    await watch.ask(url('/api/auth/token'), {
      method: 'POST',
      body: new URLSearchParams({ username: email, password: wrongPassword, grant_type: 'other' }),
    });
    const first = await signIn();
    const second = await refresh(first);
    const third = await refresh(second);
    for (const wrong of [first.cookie, 'refresh_token=x', `refresh_token=${third.token}`]) {
      await watch.ask(url('/api/auth/refresh-token'), { method: 'POST', headers: { cookie: wrong } });
    }
    const { token, cookie } = await signIn();
    const body = JSON.stringify({ name: 'a program', scopes: ['account:read', 'sessions:write'] });
    const headers = { ...json, ...withToken(token) };
    const made = await watch.ask(url('/api/auth/tokens'), { method: 'POST', headers, body }, ['personal token']);
    const program = watch.plant('personal token', (JSON.parse(made.text) as { token: string }).token);
    for (const bearer of [token, program, `${program}x`, `${token}x`, cookie.slice('refresh_token='.length)]) {
      for (const path of ['/api/users/me', '/api/auth/sessions', '/api/auth/tokens', '/api/audit', '/list-apps']) {
        await watch.ask(url(path), { headers: withToken(bearer) });
        await watch.ask(url(`${path}?token=${encodeURIComponent(bearer)}`), { headers: withToken(bearer) });
      }
      await watch.ask(url(`/api/auth/tokens/${bearer}`), { method: 'DELETE', headers: withToken(token) });
      await watch.ask(url(`/nowhere/${bearer}`), { headers: withToken(bearer) });
    }
    for (const broken of ['{', '[]', '{"name": 1}', JSON.stringify({ name: 'x', scopes: [token] }).slice(0, -1)]) {
      await watch.ask(url('/api/auth/tokens'), { method: 'POST', headers, body: broken });
    }
    await watch.ask(url('/api/auth/logout'), { method: 'POST', headers: { cookie } });
    expect((await watch.ask(url('/api/auth/refresh-token'), { method: 'POST', headers: { cookie } })).status).toBe(401);
  });

  test('change a password when they come by mail, and are deleted with their account', {
    timeout: 60_000,
  }, async () => {
    await post('/api/auth/forgot-password', { email });
    const token = await mailed('reset-password');
    await watch.ask(url('/api/users/me'), { headers: withToken(token) });
    await post('/api/auth/reset-password', { token, new_password: [nextPassword] });
    expect((await post('/api/auth/reset-password', { token, new_password: nextPassword })).status).toBe(200);
    expect((await post('/api/auth/reset-password', { token, new_password: nextPassword })).status).toBe(401);
    const headers = withToken((await signIn(nextPassword)).token);
    const { user_id: id } = JSON.parse((await watch.ask(url('/api/users/me'), { headers })).text) as {
      user_id: number;
    };
    const removed = await watch.ask(url(`/api/users/${id}`), { method: 'DELETE', headers }, ['receipt']);
    const receipt = watch.plant('receipt', removed.headers.get('location')?.split('/').at(-1) ?? '');
    expect((await watch.ask(url(`/api/users/me/erasures/${receipt}`))).status).toBe(200);
  });

  test('are only in the answer that issues them, and in no log line and no table row', async () => {
    expect(mesh.lines.length).toBeGreaterThan(20);
    watch.readLog(await settledLog(mesh));
    await watch.readDatabase(databaseUrl);
    expect(watch.places).toBeGreaterThan(100);
    expect(watch.leaks()).toEqual([]);
  });

  test('would be found by this test', () => {
    const own = new SecretWatch();
    own.plant('one', 'a planted secret');
    const rests = [
      Buffer.from('xa planted secret').toString('base64'),
      Buffer.from('a planted secret').toString('hex'),
    ];
    own.readLog(['{"msg":"a planted secret"}', ...rests, 'a+planted+secret', 'nothing']);
    expect(own.leaks()).toHaveLength(4);
  });
});
