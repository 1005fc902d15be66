import { randomUUID } from 'node:crypto';
import { LimitPeriod } from '@agentmesh/proto/keys/v1/model_use';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openKeys } from './open-keys.ts';

const dayAfter = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test('calls of runs with one id in sessions of different users and apps are counted together, and hold up no report', async () => {
  await using keys = await openKeys();
  const [accountId, invocationId] = [randomUUID(), 'i1'];
  const callers = [{}, { userId: 'u2' }, { appName: 'agent2' }].map((over) => {
    return { accountId, appName: 'agent1', userId: 'u1', invocationId, ...over };
  });
  const call = { provider: 'openai', model: 'gpt-5-mini', tokens: { input: 10n, cached: 0n, output: 5n } };
  await keys.modelUse.endCalls({ calls: callers.map((caller) => ({ ...call, caller, callId: randomUUID() })) });
  const all = { accountId, fromDay: dayAfter(0), toDay: dayAfter(1) };
  const sums = [{ calls: 3n, tokens: { input: 30n, output: 15n } }];
  for (const filter of [all, { ...all, invocationId }])
    expect((await keys.modelUse.listUsage(filter)).sums).toMatchObject(sums);
});

test('limits and days go by the clock of the database, also where that of a process is a month ahead', async () => {
  await using keys = await openKeys();
  const accountId = randomUUID();
  const caller = { accountId, appName: 'agent1', userId: 'u1', invocationId: 'i1' };
  const call = { caller, provider: 'openai', model: 'gpt-5-mini' };
  const tokens = { input: 10n, cached: 0n, output: 5n };
  const begin = () => keys.modelUse.beginCall({ ...call, estimate: tokens });
  const limits = async () => (await keys.modelUse.listLimits({ accountId })).limits;
  const period = LimitPeriod.MONTH;
  await keys.modelUse.setLimit({ accountId, keyId: 0n, period, most: { calls: 1n } });
  const { callId } = await begin();
  const [before] = await limits();
  const all = { accountId, fromDay: dayAfter(0), toDay: dayAfter(1) };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40 * 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  const end = new Date((before?.endsAt ?? 0) * 1_000).toISOString();
  const message = `The limit of 1 requests per month of the account is reached until ${end}.`;
  await expect(begin()).rejects.toMatchObject({ reason: 'budget_reached', message });
  const again = await keys.modelUse.setLimit({ accountId, keyId: 0n, period, most: { calls: 1n } });
  expect([again.limit, ...(await limits())]).toEqual([before, before]);
  await keys.modelUse.endCalls({ calls: [{ ...call, callId, tokens }] });
  expect((await keys.modelUse.listUsage(all)).sums).toMatchObject([{ calls: 1n }]);
  expect(await limits()).toMatchObject([{ used: { calls: 1n, tokens: 15n } }]);
});
