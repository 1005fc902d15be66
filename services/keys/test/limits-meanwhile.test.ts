import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { LimitPeriod } from '@agentmesh/proto/keys/v1/model_use';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openKeys, type TestKeys } from './open-keys.ts';

let keys: TestKeys;
beforeAll(async () => {
  keys = await openKeys();
});
afterAll(() => keys[Symbol.asyncDispose]());

/** An account with a key. */
async function newAccount() {
  const accountId = randomUUID();
  const given = { accountId, kind: KeyKind.SAVED, name: 'k', provider: 'openai', secret: 'sk-of-a-test' };
  const { key } = await keys.savedKeys.createKey(given);
  return { accountId, keyId: key?.id ?? 0n };
}

type Account = Awaited<ReturnType<typeof newAccount>>;

/** Sets a limit of the month for the account, or for `keyId`. Without `most` it removes the limit. */
const limit = ({ accountId }: Account, most: object, keyId = 0n) =>
  keys.modelUse.setLimit({ accountId, keyId, period: LimitPeriod.MONTH, most });
const limits = async ({ accountId }: Account) => (await keys.modelUse.listLimits({ accountId })).limits;

describe('a limit that is set while a call of a model runs', () => {
  const callOf = ({ accountId, keyId }: Account) => {
    const caller = { accountId, appName: 'agent1', userId: 'u1', invocationId: 'i1' };
    return { caller, keyId, provider: 'openai', model: 'gpt-5-mini' };
  };
  /** The call reserves 200 tokens. */
  const begin = async (account: Account) =>
    (await keys.modelUse.beginCall({ ...callOf(account), estimate: { input: 100n, cached: 0n, output: 100n } })).callId;
  const end = (account: Account, callId: string) =>
    keys.modelUse.endCalls({
      calls: [{ ...callOf(account), callId, tokens: { input: 10n, cached: 0n, output: 5n } }],
    });
  const used = { calls: 1n, tokens: 15n };

  test('counts the call in full, and a limit that it has reserved from gets back what it did not use', async () => {
    const account = await newAccount();
    await limit(account, { tokens: 1_000n }, account.keyId);
    const callId = await begin(account);
    await limit(account, { calls: 1n });
    await end(account, callId);
    expect(await limits(account)).toMatchObject([
      { keyId: 0n, used },
      { keyId: account.keyId, used },
    ]);
    await expect(begin(account)).rejects.toMatchObject({ reason: 'budget_reached' });
  });

  test('counts the call in full also where it replaces a limit that was removed', async () => {
    const account = await newAccount();
    await limit(account, { calls: 5n });
    const callId = await begin(account);
    await limit(account, {});
    await limit(account, { calls: 5n });
    await end(account, callId);
    expect(await limits(account)).toMatchObject([{ used }]);
  });

  test('gets back what the call did not use where it only changes a limit', async () => {
    const account = await newAccount();
    await limit(account, { calls: 5n });
    const callId = await begin(account);
    await limit(account, { calls: 6n });
    await end(account, callId);
    expect(await limits(account)).toMatchObject([{ used, most: { calls: 6n } }]);
  });
});

test('a limit that was stored before limits had a time counts as set before all calls', async () => {
  await using database = await testDatabaseUrl();
  const folder = mkdtempSync(join(tmpdir(), 'first-schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const migrations = new URL('../migrations/', import.meta.url);
  cpSync(new URL('0001-first-schema.sql', migrations), join(folder, '0001-first-schema.sql'));
  const open = (of: URL) => {
    const options = { service: 'keys', url: database.url, poolSize: 2, migrations: of };
    return openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  };
  await using former = await open(pathToFileURL(`${folder}/`));
  const columns = 'account_id, key_id, period, starts_on, calls, tokens, cost_nanos';
  const add = (keyId: number) =>
    `insert into limits (${columns}) values ('${randomUUID()}', ${keyId}, 'day', now(), 1, 1, 1)`;
  await former.query({ text: add(1) });
  await using db = await open(migrations);
  await former.query({ text: add(2) });
  const text =
    "select key_id, set_at = '-infinity' as is_first, set_at > now() - interval '1 hour' as is_new from limits order by key_id";
  expect(await db.query({ text })).toEqual([
    { key_id: 1n, is_first: true, is_new: false },
    { key_id: 2n, is_first: false, is_new: true },
  ]);
});
