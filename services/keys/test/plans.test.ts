import { randomUUID } from 'node:crypto';
import { comparePlans, recordStatements } from '@agentmesh/lib/pg/testing';
import { LimitPeriod } from '@agentmesh/proto/keys/v1/model_use';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { expect, test } from 'vitest';
import { openKeys, type TestKeys } from './open-keys.ts';

/** Sends the statements of saved keys, of calls of models, and of limits. */
async function useKeys(keys: TestKeys): Promise<void> {
  const { savedKeys, toolKeys, modelUse } = keys;
  const accountId = randomUUID();
  const kind = KeyKind.SAVED;
  const modelApiBase = 'https://mcp.example.com/v1';
  const { key } = await savedKeys.createKey({
    accountId,
    kind,
    name: 'k',
    provider: 'openai',
    secret: 'sk-of-a-test',
    modelApiBase,
  });
  const keyId = key?.id ?? 0n;
  await savedKeys.listKeys({ accountId, kind });
  await savedKeys.getKey({ accountId, keyId, kind });
  await savedKeys.updateKey({ accountId, keyId, kind, name: 'n' });
  await toolKeys.openToolKey({ accountId, keyId, url: modelApiBase });
  const period = LimitPeriod.DAY;
  await modelUse.setLimit({ accountId, keyId: 0n, period, most: { calls: 5n } });
  await modelUse.setLimit({ accountId, keyId, period, most: { calls: 5n } });
  await modelUse.listLimits({ accountId });
  const caller = { accountId, appName: 'agent1', userId: 'u1', invocationId: 'i1' };
  const call = { caller, provider: 'openai', model: 'gpt-5-mini', keyId };
  const { callId } = await modelUse.beginCall({ ...call, estimate: { input: 1n, cached: 0n, output: 1n } });
  await modelUse.endCalls({ calls: [{ ...call, callId, tokens: { input: 1n, cached: 0n, output: 1n } }] });
  const day = new Date().toISOString().slice(0, 10);
  await modelUse.listUsage({ accountId, fromDay: day, toDay: day });
  await modelUse.listUsage({ accountId, fromDay: day, toDay: day, groupBy: { run: true } });
  await modelUse.listUsage({ accountId, fromDay: day, toDay: day, invocationId: 'i1' });
  await savedKeys.deleteKey({ accountId, keyId, kind });
  await keys.settle();
}

const isOwn = (text: string): boolean => /\b(saved_keys|limits|usage_days|usage_runs|model_calls)\b/.test(text);

test('every statement has one plan: on an empty database without statistics the same as on full, analyzed tables', async () => {
  await using service = await openKeys();
  using recorded = recordStatements();
  await useKeys(service);
  const texts = new Map([...recorded.texts].filter(([, text]) => isOwn(text)));
  expect(texts.size).toBeGreaterThanOrEqual(12);
  await using fresh = await openKeys();
  const { differing, scanning } = await comparePlans({ url: fresh.databaseUrl, schema: 'keys' }, texts);
  expect({ differing, scanning }).toEqual({ differing: [], scanning: [] });
});
