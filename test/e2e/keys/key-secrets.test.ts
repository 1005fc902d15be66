import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { startFakeOpenAi } from '../../fakes/openai.ts';
import { startMesh, type TestMesh } from '../../mesh.ts';
import { SecretWatch } from '../../secret-watch.ts';
import { settledLog } from '../settled-log.ts';

const resources = new AsyncDisposableStack();
const watch = new SecretWatch();
const secret = watch.plant('key', 'sk-planted-key-of-an-account-Zq8x');
const nextSecret = watch.plant('next key', 'sk-planted-next-key-of-an-account-Yw7v');
const only = ['auth', 'keys', 'runs', 'sessions'];
let mesh: TestMesh;
let databaseUrl: string;

/** A mesh of its own that logs everything. */
beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  const env = { LOG_LEVEL: 'trace', MODEL_API_BASE_ALLOW: '127.0.0.1/32' };
  mesh = resources.use(await startMesh({ mode: inject('mode'), only, databaseUrl, env }));
});
afterAll(() => resources.disposeAsync());

test('a saved key is in no answer, no log line and no row of any table', { timeout: 60_000 }, async () => {
  const provider = resources.use(await startFakeOpenAi({ apiKey: secret }));
  const { token } = await newAccount(mesh.url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: unknown) =>
    watch.ask(`${mesh.url}/api/saved-api-keys${path}`, {
      method,
      headers: body === undefined ? { authorization: headers.authorization } : headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const given = { key_name: 'k', provider: 'openai', api_key_value: secret, model_api_base: provider.baseUrl };
  const made = await send('POST', '', given);
  expect(made.status).toBe(200);
  const id = (JSON.parse(made.text) as { api_key_id: string }).api_key_id;
  expect(JSON.parse((await send('POST', `/${id}/test`)).text)).toMatchObject({ ok: true, outcome: 'accepted' });
  const wrong = [
    { ...given, provider: ['openai'] },
    { ...given, api_key_value: [secret] },
    { ...given, api_key_value: { secret } },
    { ...given, api_key_value: `${secret}\n` },
    { ...given, key_name: { api_key: secret } },
    { ...given, model_api_base: `https://x:${secret}@api.example.com` },
    JSON.stringify(given).slice(0, -1),
    `[${JSON.stringify(secret)}]`,
  ];
  for (const body of wrong) expect((await send('POST', '', body)).status).toBe(422);
  for (const body of wrong) expect([422]).toContain((await send('PATCH', `/${id}`, body)).status);
  await send('PATCH', `/${id}`, { api_key_value: nextSecret, model_api_base: provider.baseUrl });
  // The fake's error answer quotes the key that it refuses.
  expect(JSON.parse((await send('POST', `/${id}/test`)).text)).toMatchObject({ ok: false, outcome: 'refused' });
  for (const path of ['', `/${id}`]) await send('GET', path);
  await send('DELETE', `/${id}/${secret}`);
  watch.readLog(await settledLog(mesh));
  await watch.readDatabase(databaseUrl);
  expect(watch.places).toBeGreaterThan(40);
  expect(watch.leaks()).toEqual([]);
});
