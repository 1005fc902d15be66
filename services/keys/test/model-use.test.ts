import { randomUUID } from 'node:crypto';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { LimitPeriod } from '@agentmesh/proto/keys/v1/model_use';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKeys, type TestKeys } from './open-keys.ts';

const secret = 'sk-planted-secret-of-tests-4242';
const dayAfter = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** The days of these tests: midnight may come meanwhile. */
const [fromDay, toDay] = [dayAfter(0), dayAfter(1)];
const resources = new AsyncDisposableStack();
let keys: TestKeys;
/** A second replica over the same database. */
let replica: TestKeys;

beforeAll(async () => {
  keys = resources.use(await openKeys());
  replica = resources.use(await openKeys({ DATABASE_URL: keys.databaseUrl }));
});
afterAll(() => resources.disposeAsync());

const tokens = (input: number, output: number) => ({ input: BigInt(input), cached: 0n, output: BigInt(output) });

/** An account with a saved key. */
async function newAccount(over: object = {}) {
  const accountId = randomUUID();
  const given = { accountId, kind: KeyKind.SAVED, name: 'k', provider: 'openai', secret, ...over };
  const { key } = await keys.savedKeys.createKey(given);
  const caller = { accountId, appName: 'agent1', userId: 'u1', invocationId: 'i1' };
  return { accountId, keyId: key?.id ?? 0n, call: { caller, provider: 'openai', model: 'gpt-5-mini' } };
}

type Account = Awaited<ReturnType<typeof newAccount>>;

const begin = (account: Account, over: object = {}, on = keys) =>
  on.modelUse.beginCall({ ...account.call, keyId: account.keyId, estimate: tokens(100, 100), ...over });
const end = (account: Account, callId: string, over: object = {}) =>
  keys.modelUse.endCalls({
    calls: [{ ...account.call, keyId: account.keyId, callId, tokens: tokens(10, 5), ...over }],
  });
/** Sets a limit of the month, because a day may end meanwhile. */
const limit = (account: Account, most: object, over: object = {}) =>
  keys.modelUse.setLimit({ accountId: account.accountId, keyId: 0n, period: LimitPeriod.MONTH, most, ...over });
const usage = async (account: Account, over: object = {}) =>
  (await keys.modelUse.listUsage({ accountId: account.accountId, fromDay, toDay, ...over })).sums;

const full = { code: 'resource_exhausted', reason: 'budget_reached' };

describe('a call of a model', () => {
  test('gets the key, its address, and a rotated key at once', async () => {
    const account = await newAccount({ modelApiBase: 'https://api.example.com/v1' });
    expect(await begin(account)).toMatchObject({ secret, modelApiBase: 'https://api.example.com/v1' });
    const named = { accountId: account.accountId, keyId: account.keyId, kind: KeyKind.SAVED };
    await replica.savedKeys.updateKey({ ...named, secret: 'sk-the-next-one' });
    expect((await begin(account)).secret).toBe('sk-the-next-one');
    expect(await begin(account, { keyId: 0n })).toMatchObject({ secret: '', modelApiBase: '' });
  });

  test('is refused without a key of its account that can be opened and is of its provider', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const missing = { code: 'not_found', reason: 'key_not_found' };
    await expect(begin(account, { keyId: other.keyId })).rejects.toMatchObject(missing);
    await expect(begin(account, { provider: 'anthropic' })).rejects.toMatchObject({ reason: 'key_provider_mismatch' });
    await keys.rows(`update saved_keys set secret = 'v1.lost' where id = ${account.keyId}`);
    await expect(begin(account)).rejects.toMatchObject({ reason: 'key_needs_reentry' });
    await keys.savedKeys.deleteKey({ accountId: other.accountId, keyId: other.keyId, kind: KeyKind.SAVED });
    await expect(begin(other)).rejects.toMatchObject(missing);
  });

  test('may use a key without a provider, and a google key for gemini', async () => {
    expect((await begin(await newAccount({ provider: '' }), { provider: 'anthropic' })).secret).toBe(secret);
    expect((await begin(await newAccount({ provider: 'google' }), { provider: 'gemini' })).secret).toBe(secret);
  });

  test('is counted once, however often its end is reported, by day and by run', async () => {
    const account = await newAccount();
    const { callId } = await begin(account);
    await Promise.all([end(account, callId), end(account, callId), end(account, callId)]);
    const sum = { calls: 1n, tokens: tokens(10, 5), unpricedCalls: 0n };
    expect(await usage(account)).toMatchObject([sum]);
    expect(await usage(account, { invocationId: 'i1' })).toMatchObject([sum]);
    expect(await usage(account, { invocationId: 'i2' })).toEqual([]);
    expect((await usage(account))[0]?.costNanos).toBeGreaterThan(0n);
  });

  test('that is begun again with its id, because the answer was lost, is reserved once and not refused for itself', async () => {
    const account = await newAccount();
    await limit(account, { calls: 2n });
    const callId = randomUUID();
    const tries = Array.from({ length: 4 }, (_, n) => begin(account, { callId }, n % 2 === 0 ? keys : replica));
    expect((await Promise.all(tries)).map((begun) => begun.callId)).toEqual(tries.map(() => callId));
    await begin(account);
    expect((await begin(account, { callId })).callId).toBe(callId);
    await expect(begin(account)).rejects.toMatchObject(full);
    await expect(begin(account, { callId: 'no id' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('that fills a limit is not refused for itself when it is begun again at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const account = await newAccount();
      await limit(account, { calls: 1n });
      const callId = randomUUID();
      const tries = [keys, replica, keys, replica].map((on) => begin(account, { callId }, on));
      expect((await Promise.all(tries)).map((begun) => begun.callId)).toEqual(tries.map(() => callId));
      await expect(begin(account)).rejects.toMatchObject(full);
    }
  });

  test('tells the time of its key’s last use', async () => {
    const account = await newAccount();
    const { callId } = await begin(account);
    await end(account, callId);
    const {
      keys: [key],
    } = await keys.savedKeys.listKeys({ accountId: account.accountId, kind: KeyKind.SAVED });
    expect(Math.abs((key?.lastUsedTime ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test('of a model without a price costs nothing and says so', async () => {
    const account = await newAccount();
    const { callId } = await begin(account);
    await end(account, callId, { model: 'llama-of-ours' });
    expect(await usage(account)).toMatchObject([{ costNanos: 0n, unpricedCalls: 1n }]);
  });

  test('that was not made costs nothing, also when the price of its model is not known', async () => {
    const account = await newAccount();
    const { callId } = await begin(account);
    await end(account, callId, { model: 'llama-of-ours', tokens: tokens(0, 0) });
    expect(await usage(account)).toMatchObject([{ costNanos: 0n, unpricedCalls: 0n }]);
  });
});

describe('use', () => {
  test('is summed up by day, app, end user, key, model and run', async () => {
    const account = await newAccount();
    const calls = [
      { appName: 'agent1', userId: 'u1', invocationId: 'i1' },
      { appName: 'agent1', userId: 'u2', invocationId: 'i2' },
      { appName: 'agent2', userId: 'u1', invocationId: 'i3' },
    ];
    for (const caller of calls) {
      await end(account, randomUUID(), { caller: { ...caller, accountId: account.accountId } });
    }
    await end(account, randomUUID(), { keyId: 0n });
    const by = async (groupBy: object) =>
      (await usage(account, { groupBy })).map((sum) => [
        [sum.day, sum.appName, sum.userId, sum.keyId, sum.model, sum.invocationId].filter(Boolean).join(' '),
        Number(sum.calls),
      ]);
    expect(await by({})).toEqual([['', 4]]);
    const days = await usage(account, { groupBy: { day: true } });
    expect([fromDay, toDay]).toEqual(expect.arrayContaining(days.map(({ day }) => day)));
    expect(days.reduce((sum, { calls: number }) => sum + number, 0n)).toBe(4n);
    expect(await by({ app: true })).toEqual([
      ['agent1', 3],
      ['agent2', 1],
    ]);
    expect(await by({ user: true })).toEqual([
      ['u1', 3],
      ['u2', 1],
    ]);
    expect(await by({ key: true })).toEqual([
      ['', 1],
      [String(account.keyId), 3],
    ]);
    expect(await by({ model: true })).toEqual([['openai/gpt-5-mini', 4]]);
    expect(await by({ run: true })).toEqual([
      ['i1', 2],
      ['i2', 1],
      ['i3', 1],
    ]);
    expect(await usage(account, { appName: 'agent2' })).toMatchObject([{ calls: 1n }]);
    expect(await usage(account, { userId: 'u2' })).toMatchObject([{ calls: 1n }]);
    expect(await usage(account, { keyId: 0n })).toMatchObject([{ calls: 1n }]);
    expect(await usage(await newAccount())).toEqual([]);
  });

  test.each(['', '2026-13-01', '2026-02-30', 'now', '2026-1-1'])('of the day "%s" is refused', async (fromDay) => {
    await expect(usage(await newAccount(), { fromDay })).rejects.toMatchObject({ reason: 'request_invalid' });
  });
});

describe('a limit', () => {
  // About every second round exceeds the limit when the statement takes no locks.
  test.each([1, 2, 3, 4, 5])('of requests is never exceeded, by 100 calls at once on two replicas (%i)', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    await limit(account, { calls: 60n });
    // Both replicas have opened all their connections.
    await Promise.all([keys, replica].flatMap((on) => Array.from({ length: 50 }, () => begin(other, {}, on))));
    const calls = Array.from({ length: 100 }, (_, index) => begin(account, {}, index % 2 === 0 ? keys : replica));
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(full);
  });

  test('of cost or tokens is exceeded by less than the calls that began within it', async () => {
    const account = await newAccount();
    await limit(account, { tokens: 1_000n });
    const calls = Array.from({ length: 100 }, (_, index) => begin(account, {}, index % 2 === 0 ? keys : replica));
    const begun = (await Promise.allSettled(calls)).flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
    // Each reserves 200 tokens.
    expect(begun).toHaveLength(5);
    for (const { callId } of begun) await end(account, callId, { tokens: tokens(150, 150) });
    expect((await usage(account))[0]?.tokens).toMatchObject(tokens(750, 750));
    await expect(begin(account)).rejects.toMatchObject(full);
  });

  test('gets back what a call has reserved and not used', async () => {
    const account = await newAccount();
    await limit(account, { tokens: 200n });
    const { callId } = await begin(account);
    await expect(begin(account)).rejects.toMatchObject(full);
    await end(account, callId);
    await end(account, callId);
    const { limits } = await keys.modelUse.listLimits({ accountId: account.accountId });
    expect(limits).toMatchObject([{ keyId: 0n, used: { calls: 1n, tokens: 15n } }]);
    await begin(account);
  });

  test('is of the account for all keys, and of a key for that key, and names itself', async () => {
    const account = await newAccount();
    await limit(account, { calls: 1n }, { keyId: account.keyId });
    await begin(account);
    const text = new RegExp(`^The limit of 1 requests per month of the key apikey${account.keyId} is reached until `);
    await expect(begin(account)).rejects.toMatchObject({ ...full, message: expect.stringMatching(text) });
    await begin(account, { keyId: 0n });
    await limit(account, { costNanos: 0n }, { period: LimitPeriod.DAY });
    const ofAccount = { ...full, message: expect.stringContaining('The limit of $0 per day of the account') };
    await expect(begin(account, { keyId: 0n })).rejects.toMatchObject(ofAccount);
  });

  test('that refuses takes nothing from the others', async () => {
    const account = await newAccount();
    await limit(account, { calls: 10n });
    await limit(account, { calls: 0n }, { keyId: account.keyId });
    for (let call = 0; call < 3; call += 1) await expect(begin(account)).rejects.toMatchObject(full);
    const { limits } = await keys.modelUse.listLimits({ accountId: account.accountId });
    expect(limits[0]).toMatchObject({ keyId: 0n, used: { calls: 0n, tokens: 0n } });
  });

  test('begins with what was used since its period began, and again in the next one', async () => {
    const account = await newAccount();
    const { callId } = await begin(account);
    await end(account, callId);
    const { limit: set } = await limit(account, { calls: 2n });
    expect(set).toMatchObject({ used: { calls: 1n, tokens: 15n }, most: { calls: 2n } });
    await begin(account);
    await expect(begin(account)).rejects.toMatchObject(full);
    await keys.rows(`update limits set starts_on = starts_on - 1 where account_id = '${account.accountId}'`);
    const { limits } = await keys.modelUse.listLimits({ accountId: account.accountId });
    expect(limits).toMatchObject([{ used: { calls: 0n } }]);
    await begin(account);
  });

  test('is removed by an empty one, and with its key', async () => {
    const account = await newAccount();
    await limit(account, { calls: 0n });
    await limit(account, {});
    await limit(account, { calls: 0n }, { keyId: account.keyId });
    await keys.savedKeys.deleteKey({ accountId: account.accountId, keyId: account.keyId, kind: KeyKind.SAVED });
    expect(await keys.modelUse.listLimits({ accountId: account.accountId })).toMatchObject({ limits: [] });
    await expect(limit(account, { calls: 1n }, { keyId: account.keyId })).rejects.toMatchObject({
      reason: 'key_not_found',
    });
  });

  test('keeps what a call has reserved whose end is never reported', async () => {
    const account = await newAccount();
    await limit(account, { tokens: 1_000n });
    await begin(account);
    await keys.rows(
      `update model_calls set begun_at = now() - interval '25 hours' where account_id = '${account.accountId}'`,
    );
    await keys.settle();
    expect(await keys.rows(`select 1 from model_calls where account_id = '${account.accountId}'`)).toEqual([]);
    const { limits } = await keys.modelUse.listLimits({ accountId: account.accountId });
    expect(limits).toMatchObject([{ used: { calls: 1n, tokens: 200n } }]);
  });
});

test('reports of many accounts at once, from two replicas, are all counted', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => newAccount()));
  for (const account of accounts) await limit(account, { calls: 1_000n });
  const reports = Array.from({ length: 20 }, (_, round) =>
    (round % 2 === 0 ? keys : replica).modelUse.endCalls({
      calls: accounts
        .toSorted(() => (round % 3 === 0 ? 1 : -1))
        .map(({ call, keyId }) => ({ ...call, keyId, callId: randomUUID(), tokens: tokens(10, 5) })),
    }),
  );
  await Promise.all(reports);
  for (const account of accounts) {
    expect(await usage(account)).toMatchObject([{ calls: 20n, tokens: tokens(200, 100) }]);
    const { limits } = await keys.modelUse.listLimits({ accountId: account.accountId });
    expect(limits).toMatchObject([{ used: { calls: 20n, tokens: 300n } }]);
  }
});
