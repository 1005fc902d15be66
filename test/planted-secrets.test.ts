import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller } from './caller.ts';
import { dumpTables } from './dump-tables.ts';
import { encryptKey, startMesh, type TestMesh } from './mesh.ts';
import { mailedToken } from './outbox.ts';

const resources = new AsyncDisposableStack();
const log = createLogger({ level: 'silent', name: 'test' });
/** Every answer, head and body. */
const answers: string[] = [];
let mesh: TestMesh;
let db: Database;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  const env = { LOG_LEVEL: 'trace', AUTH_EMAIL_VERIFICATION_REQUIRED: 'true' };
  mesh = resources.use(await startMesh({ mode: 'separate', databaseUrl: url, env }));
  const migrations = new URL('../services/auth/migrations/', import.meta.url);
  db = resources.use(await openDatabase({ service: 'auth', url, poolSize: 2, migrations }, log));
});
afterAll(() => resources.disposeAsync());

interface Sent {
  readonly json?: object;
  readonly form?: Record<string, string>;
  readonly token?: string;
  readonly cookie?: string;
  readonly method?: string;
}

/** Sends, and keeps the answer for the search. */
async function send(path: string, { json, form, token, cookie, method }: Sent = {}): Promise<Response> {
  const body = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form);
  const response = await fetch(mesh.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(json && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.clone().text();
  answers.push(`${response.status} ${[...response.headers].join('\n')} ${text}`);
  return response;
}

interface Planted {
  /** Whatever must be nowhere. */
  readonly nowhere: Record<string, string>;
  /** What one answer hands over, and nothing else holds. */
  readonly handedOver: Record<string, string>;
}

const cookieOf = (response: Response): string =>
  /refresh_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';

/** A whole life of an account, with mistakes in it. */
async function live(): Promise<Planted> {
  const email = `${randomUUID()}@example.com`;
  const passwords = {
    first: `first ${randomUUID()}`,
    wrong: `wrong ${randomUUID()}`,
    second: `second ${randomUUID()}`,
  };
  await send('/api/users/', { json: { email, password: passwords.first, first_name: 'A', last_name: 'B' } });
  await send('/api/users/', { json: { email: 'no address', password: passwords.first } });
  const verify = await mailedToken(mesh.dataDir, email, 'verify-email');
  await send('/api/auth/verify-email', { json: { token: verify } });
  await send('/api/auth/verify-email', { json: { token: [verify] } });
  await send('/api/auth/token', { json: { email, password: passwords.wrong } });
  await send('/api/auth/token', { form: { username: email, password: passwords.wrong, grant_type: 'x' } });
  await send('/api/auth/forgot-password', { json: { email } });
  const reset = await mailedToken(mesh.dataDir, email, 'reset-password');
  await send('/api/auth/reset-password', { json: { token: reset, new_password: [passwords.second] } });
  await send('/api/auth/reset-password', { json: { token: reset, new_password: passwords.second } });
  await send('/api/auth/reset-password', { json: { token: reset, new_password: passwords.second } });
  const signedIn = await send('/api/auth/token', { form: { username: email, password: passwords.second } });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const cookie = cookieOf(signedIn);
  const refreshed = await send('/api/auth/refresh-token', { method: 'POST', cookie: `refresh_token=${cookie}` });
  const made = await send('/api/auth/tokens', { token, json: { name: 'n', scopes: ['sessions:read'] } });
  const { token: personal } = (await made.json()) as { token: string };
  await send('/apps/echo/users/u1/sessions', { token: personal });
  await send('/api/users/me', { token: reset });
  await send('/api/audit', { token });
  const { user_id: id } = (await (await send('/api/users/me', { token })).json()) as { user_id: number };
  const removed = await send(`/api/users/${id}`, { token, method: 'DELETE' });
  const receipt = removed.headers.get('location')?.split('/').at(-1) ?? '';
  await send(`/api/users/me/erasures/${receipt}`);
  return {
    nowhere: { ...passwords, verify, reset, encryptKey },
    handedOver: { token, cookie, successor: cookieOf(refreshed), personal, receipt },
  };
}

describe('a secret that was sent, mailed or handed over', () => {
  test('is in no log line, no row of any table, and no answer but the one that hands it over', async () => {
    const { nowhere, handedOver } = await live();
    const everySecret = Object.entries({ ...nowhere, ...handedOver });
    expect(everySecret.filter(([, secret]) => !(secret?.length >= 20))).toEqual([]);
    const places = { logs: mesh.lines.join('\n'), tables: await dumpTables(db), answers: answers.join('\n') };
    const found = everySecret.flatMap(([name, secret]) =>
      Object.entries(places)
        .filter(([place, text]) => count(text, secret) > (place === 'answers' && name in handedOver ? 1 : 0))
        .map(([place]) => `${name} in ${place}`),
    );
    expect(found).toEqual([]);
  });

  test('would be found', async () => {
    expect(mesh.lines.length).toBeGreaterThan(20);
    expect(await dumpTables(db)).toContain('auth.audit');
    expect(answers.length).toBeGreaterThan(15);
    expect(await new Caller(mesh.url).request('GET', '/health')).toMatchObject({ status: 200 });
  });
});

function count(text: string, secret: string): number {
  return text.split(secret).length - 1;
}
