import { randomUUID } from 'node:crypto';
import { openDatabase, type Transaction } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { LimitPeriod } from '@agentmesh/proto/keys/v1/model_use';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { expect, test } from 'vitest';
import { upsertLimit } from '../src/store/limits.ts';
import { openKeys } from './open-keys.ts';

const kind = KeyKind.SAVED;

const eraseKeys = (tx: Transaction, accountId: string) =>
  tx.query({ text: 'delete from saved_keys where account_id = $1' }, [accountId]);

/** An account with a key, and `overtake`, which begins a call while a transaction has not committed its work, and answers how the call ended after that. */
async function openAccount() {
  await using resources = new AsyncDisposableStack();
  const keys = resources.use(await openKeys());
  const migrations = new URL('../migrations/', import.meta.url);
  const options = { service: 'keys', url: keys.databaseUrl, poolSize: 3, migrations };
  const db = resources.use(await openDatabase(options, createLogger({ level: 'silent', name: 'test' })));
  const accountId = randomUUID();
  const { key } = await keys.savedKeys.createKey({ accountId, kind, name: 'k', provider: 'openai', secret: 'sk-test' });
  const overtake = async (work: (tx: Transaction) => Promise<unknown>, call: () => Promise<unknown>) => {
    const ended: PromiseSettledResult<unknown>[] = [];
    const begun: Promise<unknown>[] = [];
    const waiting = 'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
    await db.transaction(async (tx) => {
      await work(tx);
      begun.push(Promise.allSettled([call()]).then((results) => ended.push(...results)));
      const begins = async () => (await tx.query({ text: waiting })).length + ended.length;
      await expect.poll(begins, { timeout: 10_000 }).toBe(1);
    });
    await Promise.all(begun);
    return ended;
  };
  const opened = resources.move();
  const limits = async () => (await keys.modelUse.listLimits({ accountId })).limits;
  const place = { accountId, keyId: key?.id ?? 0n };
  return { keys, db, place, overtake, limits, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test('a limit of a key that is deleted at the same time is refused, and none is left', async () => {
  await using account = await openAccount();
  const { keys, place, overtake, limits } = account;
  const erase = (tx: Transaction) => eraseKeys(tx, place.accountId);
  const set = () => keys.modelUse.setLimit({ ...place, period: LimitPeriod.MONTH, most: { calls: 1n } });
  const refused = [{ status: 'rejected', reason: expect.objectContaining({ reason: 'key_not_found' }) }];
  expect(await overtake(erase, set)).toMatchObject(refused);
  expect(await limits()).toEqual([]);
});

test('a key takes a limit along that is set while the key is deleted', async () => {
  await using account = await openAccount();
  const { keys, place, overtake, limits } = account;
  const most = { calls: 1n, tokens: null, costNanos: null };
  const set = (tx: Transaction) => upsertLimit(tx, { ...place, period: 'month', ...most });
  expect(await overtake(set, () => keys.savedKeys.deleteKey({ ...place, kind }))).toMatchObject([
    { status: 'fulfilled' },
  ]);
  expect(await limits()).toEqual([]);
});

test('a limit that an earlier version has left behind its key can be removed, once', async () => {
  await using account = await openAccount();
  const { keys, db, place, limits } = account;
  const period = LimitPeriod.MONTH;
  await keys.modelUse.setLimit({ ...place, period, most: { calls: 1n } });
  await db.transaction((tx) => eraseKeys(tx, place.accountId));
  expect(await limits()).toHaveLength(1);
  await keys.modelUse.setLimit({ ...place, period });
  expect(await limits()).toEqual([]);
  await expect(keys.modelUse.setLimit({ ...place, period })).rejects.toMatchObject({ reason: 'key_not_found' });
});

test('the end of a call does not wait for the deletion of its key, which waits for the limits that it counts in', async () => {
  await using account = await openAccount();
  const { keys, place, overtake, limits } = account;
  const { accountId, keyId } = place;
  await keys.modelUse.setLimit({ accountId, period: LimitPeriod.MONTH, most: { calls: 9n } });
  const caller = { accountId, appName: 'agent1', userId: 'u1', invocationId: 'i1' };
  const call = { caller, keyId, provider: 'openai', model: 'gpt-5-mini' };
  const { callId } = await keys.modelUse.beginCall({ ...call, estimate: { input: 100n, cached: 0n, output: 100n } });
  const tokens = { input: 10n, cached: 0n, output: 5n };
  const eraseDuringEnd = async (tx: Transaction) => {
    await eraseKeys(tx, accountId);
    await keys.modelUse.endCalls({ calls: [{ ...call, callId, tokens }] });
  };
  await overtake(eraseDuringEnd, () => Promise.resolve());
  expect(await limits()).toMatchObject([{ used: { calls: 1n, tokens: 15n } }]);
});
