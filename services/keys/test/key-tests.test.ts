import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KeyKind, KeyTestOutcome } from '@agentmesh/proto/keys/v1/saved_keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeAnthropic } from '../../../test/fakes/anthropic/index.ts';
import { startFakeGemini } from '../../../test/fakes/gemini/index.ts';
import { startFakeOpenAi } from '../../../test/fakes/openai.ts';
import { openKeys, type TestKeys } from './open-keys.ts';

const kind = KeyKind.SAVED;
const secret = 'sk-planted-secret-of-tests-4242';
const resources = new AsyncDisposableStack();
let keys: TestKeys;
let bases: Record<string, string>;

beforeAll(async () => {
  keys = resources.use(await openKeys({ MODEL_API_BASE_ALLOW: '127.0.0.1/32' }));
  const openai = resources.use(await startFakeOpenAi({ apiKey: secret }));
  const anthropic = resources.use(await startFakeAnthropic({ apiKey: secret }));
  const gemini = resources.use(await startFakeGemini({ apiKey: secret }));
  bases = { openai: openai.baseUrl, anthropic: anthropic.baseUrl, gemini: gemini.baseUrl };
});
afterAll(() => resources.disposeAsync());

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  resources.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function outcome(over: object) {
  const accountId = randomUUID();
  const { key } = await keys.savedKeys.createKey({ accountId, kind, name: 'k', provider: 'openai', secret, ...over });
  return keys.savedKeys.testKey({ accountId, keyId: key?.id ?? 0n, kind });
}

test.each(['openai', 'anthropic', 'gemini'])('%s accepts its own key and refuses another', async (provider) => {
  const modelApiBase = bases[provider] ?? '';
  const accepted = await outcome({ provider, modelApiBase });
  expect(accepted).toMatchObject({ outcome: KeyTestOutcome.ACCEPTED, httpStatus: 200 });
  expect(accepted.latencyMs).toBeLessThan(30_000);
  expect(await outcome({ provider, modelApiBase, secret: 'sk-wrong' })).toMatchObject({
    outcome: KeyTestOutcome.REFUSED,
    httpStatus: provider === 'gemini' ? 400 : 401,
  });
});

test('the provider may be told by the model, and a base may have its version', async () => {
  const model = 'anthropic/claude-sonnet-4-5';
  const found = await outcome({ provider: '', model, modelApiBase: `${bases['anthropic']}/v1` });
  expect(found.outcome).toBe(KeyTestOutcome.ACCEPTED);
  await expect(outcome({ provider: '', model: 'x' })).rejects.toMatchObject({ reason: 'key_provider_missing' });
});

test("a provider that is not known is called by OpenAI's API at the key's base address, and not without one", async () => {
  const found = await outcome({ provider: 'acme', modelApiBase: bases['openai'] });
  expect(found.outcome).toBe(KeyTestOutcome.ACCEPTED);
  await expect(outcome({ provider: 'acme' })).rejects.toMatchObject({ reason: 'key_provider_missing' });
});

test('the settings name the address of a key without one', async () => {
  await using other = await openKeys({ OPENAI_BASE_URL: bases['openai'] ?? '' });
  const accountId = randomUUID();
  const { key } = await other.savedKeys.createKey({ accountId, kind, name: 'k', provider: 'openai', secret });
  const found = await other.savedKeys.testKey({ accountId, keyId: key?.id ?? 0n, kind });
  expect(found.outcome).toBe(KeyTestOutcome.ACCEPTED);
});

test('other answers are told by their status only', async () => {
  const statuses = [429, 500, 404];
  const base = await serve((_, response) => response.writeHead(statuses.shift() ?? 200).end(`no: ${secret}`));
  const outcomes = [];
  for (let call = 0; call < 3; call += 1) outcomes.push((await outcome({ modelApiBase: base })).outcome);
  expect(outcomes).toEqual([KeyTestOutcome.LIMITED, KeyTestOutcome.FAILED, KeyTestOutcome.FAILED]);
});

test('a redirect, a closed port and a private address that a name leads to look the same', async () => {
  const redirecting = await serve((_, response) => response.writeHead(302, { location: bases['openai'] }).end());
  const nothing = { outcome: KeyTestOutcome.UNREACHABLE, httpStatus: 0 };
  for (const modelApiBase of [redirecting, 'http://127.0.0.1:1/v1']) {
    expect(await outcome({ modelApiBase })).toMatchObject(nothing);
  }
  await using closed = await openKeys({ DATABASE_URL: keys.databaseUrl });
  const accountId = randomUUID();
  const made = { accountId, kind, name: 'k', provider: 'openai', secret, modelApiBase: bases['openai'] ?? '' };
  const { key } = await keys.savedKeys.createKey(made);
  expect(await closed.savedKeys.testKey({ accountId, keyId: key?.id ?? 0n, kind })).toMatchObject(nothing);
});

test('a key that cannot be decrypted is not sent', async () => {
  const accountId = randomUUID();
  const { key } = await keys.savedKeys.createKey({ accountId, kind, name: 'k', provider: 'openai', secret });
  await keys.rows(`update saved_keys set secret = 'v1.lost' where account_id = '${accountId}'`);
  const asked = keys.savedKeys.testKey({ accountId, keyId: key?.id ?? 0n, kind });
  await expect(asked).rejects.toMatchObject({ code: 'failed_precondition', reason: 'key_needs_reentry' });
});
