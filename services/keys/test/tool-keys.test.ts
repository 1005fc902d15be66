import { randomUUID } from 'node:crypto';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKeys, type TestKeys } from './open-keys.ts';

const secret = 'sk-planted-secret-of-tests-4242';
const resources = new AsyncDisposableStack();
let keys: TestKeys;

beforeAll(async () => {
  keys = resources.use(await openKeys());
});
afterAll(() => resources.disposeAsync());

async function save(over: object = {}) {
  const accountId = randomUUID();
  const base = { accountId, kind: KeyKind.SAVED, name: 'mine', secret, modelApiBase: 'https://mcp.example.com/v1' };
  const { key } = await keys.savedKeys.createKey({ ...base, ...over });
  return { accountId, keyId: key?.id ?? 0n };
}

test("the value of an agent's header opens only for its account, its address and its name", async () => {
  const place = { accountId: randomUUID(), url: 'https://mcp.example.com/mcp' };
  const { envelopes } = await keys.toolKeys.sealHeaders({ ...place, values: { 'x-vendor': secret, 'x-team': 'a' } });
  expect(JSON.stringify(envelopes)).not.toContain(secret);
  expect(await keys.toolKeys.openHeaders({ ...place, envelopes })).toMatchObject({
    values: { 'x-vendor': secret, 'x-team': 'a' },
  });
  const elsewhere = [
    { ...place, envelopes, accountId: randomUUID() },
    { ...place, envelopes, url: 'https://mcp.example.com/other' },
    { ...place, envelopes: { 'x-other': envelopes['x-vendor'] ?? '' } },
    { ...place, envelopes: { 'x-vendor': secret } },
  ];
  for (const other of elsewhere) {
    await expect(keys.toolKeys.openHeaders(other)).rejects.toMatchObject({ reason: 'header_needs_reentry' });
  }
});

test('a key is opened for the server that it was saved for', async () => {
  const url = 'https://mcp.example.com/other/path?x=1';
  expect(await keys.toolKeys.openToolKey({ ...(await save()), url })).toMatchObject({ secret });
});

test.each([
  { why: 'another host', url: 'https://evil.example.com/v1' },
  { why: 'another port', url: 'https://mcp.example.com:8443/v1' },
  { why: 'plain http', url: 'http://mcp.example.com/v1' },
  { why: 'what is no address', url: 'mcp.example.com' },
])('a key is not opened for $why', async ({ url }) => {
  const refused = { code: 'failed_precondition', reason: 'key_address_mismatch' };
  await expect(keys.toolKeys.openToolKey({ ...(await save()), url })).rejects.toMatchObject(refused);
});

test('a key that was saved without an address is opened for none', async () => {
  const place = await save({ modelApiBase: '', provider: 'openai' });
  const refused = { reason: 'key_address_mismatch' };
  await expect(keys.toolKeys.openToolKey({ ...place, url: 'https://api.openai.com/v1' })).rejects.toMatchObject(
    refused,
  );
});

test("another account's key, and an agent's own key, answer like a key that does not exist", async () => {
  const url = 'https://mcp.example.com/';
  const foreign = { ...(await save()), accountId: randomUUID() };
  const ofAgent = await save({ kind: KeyKind.AGENT });
  for (const place of [foreign, ofAgent, { ...foreign, keyId: 999_999n }]) {
    await expect(keys.toolKeys.openToolKey({ ...place, url })).rejects.toMatchObject({ reason: 'key_not_found' });
  }
});
