import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
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
