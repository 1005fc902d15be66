import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { SecretWatch } from '../../secret-watch.ts';
import { settledLog } from '../settled-log.ts';
import { connectMailbox, type MailMesh, type MailWord, openMailMesh } from './open-mail-mesh.ts';

let opened: MailMesh;
let caller: Caller;
const address = 'ada@mail.example';

beforeAll(async () => {
  opened = await openMailMesh();
  for (const fake of [opened.microsoft, opened.google]) fake.addUser(address);
});
beforeEach(async () => {
  caller = await newAccount(opened.mesh.url);
});
afterAll(() => opened[Symbol.asyncDispose]());

const list = async (of: Caller) => (await of.request<unknown[]>('GET', '/api/integrations/')).body;

describe.each(['microsoft_outlook', 'google_gmail'] as const)('%s', (word: MailWord) => {
  test('is connected, listed for its account only, and disconnected', async () => {
    const connected = await connectMailbox(caller, word, address);
    expect(connected).toMatchObject({
      status: 200,
      body: { success: true, provider: word, service: word, email: address, username: address },
    });
    expect(await list(caller)).toMatchObject([
      {
        id: expect.any(Number),
        provider: word,
        username: address,
        token_status: 'active',
        meta: { display_name: 'Ada Lovelace' },
        connected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    const other = await newAccount(opened.mesh.url);
    expect(await list(other)).toEqual([]);
    expect((await other.request('DELETE', `/api/integrations/${word}`)).status).toBe(404);
    const alias = word === 'google_gmail' ? 'vendorb_mail' : 'vendora_mail';
    const ended = await caller.request('DELETE', `/api/integrations/${alias}`);
    expect(ended).toMatchObject({ status: 200, body: { success: true } });
    expect(await list(caller)).toEqual([]);
    expect((await caller.request('DELETE', `/api/integrations/${word}`)).status).toBe(404);
  });

  test('keeps the word of its client', async () => {
    const path = word === 'google_gmail' ? 'google' : 'microsoft/outlook';
    const alias = word === 'google_gmail' ? 'vendorb_mail' : 'vendora_mail';
    const foreign = word === 'google_gmail' ? 'vendora_mail' : 'vendorb_mail';
    const start = (service: string) => {
      const query = new URLSearchParams({ service, redirect_uri: `${caller.url}/back` });
      return caller.request('GET', `/api/integrations/${path}/connect?${query.toString()}`);
    };
    expect(await start(alias)).toMatchObject({ status: 200, body: { service: alias } });
    expect((await start(foreign)).status).toBe(400);
    expect((await start('other')).status).toBe(400);
  });

  test('refuses a redirect address that is none, an unknown state, and a caller without a token', async () => {
    const path = `/api/integrations/${word === 'google_gmail' ? 'google' : 'microsoft/outlook'}`;
    const start = `${path}/connect?redirect_uri=${encodeURIComponent('javascript:alert(1)')}`;
    const refused = { status: 422, body: { detail: [{ loc: ['query', 'redirect_uri'] }] } };
    expect(await caller.request('GET', start)).toMatchObject(refused);
    expect((await caller.request('GET', `${path}/connect`)).status).toBe(422);
    const finish = await caller.request('POST', `${path}/callback`, { code: 'c', state: 's' });
    expect(finish).toMatchObject({ status: 400, body: { code: 'connect_state_invalid' } });
    const anonymous = new Caller(caller.url);
    for (const [method, url] of [
      ['GET', start],
      ['POST', `${path}/callback`],
      ['GET', '/api/integrations/'],
      ['DELETE', `/api/integrations/${word}`],
    ] as const)
      expect((await anonymous.request(method, url, method === 'POST' ? {} : undefined)).status).toBe(401);
  });
});

test('a 422 does not repeat the code or the state', async () => {
  const body = { code: 7_777_777_777, state: ['planted state'] };
  const answer = await caller.request('POST', '/api/integrations/google/callback', body);
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).not.toMatch(/7777777777|planted state/);
});

test('no code, state, verifier or token is logged or stored in plain text', async () => {
  await connectMailbox(caller, 'microsoft_outlook', address);
  await connectMailbox(caller, 'google_gmail', address);
  const watch = new SecretWatch();
  const calls = [...opened.microsoft.login.calls, ...opened.google.accounts.calls];
  for (const { query, body } of calls) {
    const form = new URLSearchParams(body);
    for (const name of ['code', 'code_verifier', 'client_secret', 'refresh_token']) {
      const value = form.get(name);
      if (value !== null) watch.plant(name + value, value);
    }
    const state = query.get('state');
    if (state !== null) watch.plant(`state ${state}`, state);
  }
  for (const prefix of ['ms-access-', 'ms-refresh-', 'google-access-', 'google-refresh-']) watch.plant(prefix, prefix);
  watch.readLog(await settledLog(opened.mesh));
  await watch.readDatabase(opened.databaseUrl);
  expect(calls.length).toBeGreaterThan(4);
  expect(watch.places).toBeGreaterThan(10);
  expect(watch.leaks()).toEqual([]);
});
