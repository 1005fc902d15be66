import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { openSchedules, type TestSchedules } from './open-schedules.ts';

let at: TestSchedules;
afterEach(() => at[Symbol.asyncDispose]());

const fields = {
  cron: '* * * * *',
  timezone: 'UTC',
  appName: 'echo',
  userId: 'u1',
  messageJson: Buffer.from('{"role":"user","parts":[{"text":"hello"}]}'),
  enabled: true,
};

async function add(number: number, over: object = {}, accountId: string = randomUUID()) {
  const ids: string[] = [];
  for (let one = 0; one < number; one += 1) {
    const { schedule } = await at.client.createSchedule({ accountId, ...fields, ...over });
    ids.push(schedule?.id ?? '');
  }
  return { accountId, ids };
}

describe('a tick of a stranger', () => {
  test('is not held up by five accounts whose ticks are many, older, and hang', async () => {
    at = await openSchedules();
    const noisy = await Promise.all([1, 2, 3, 4, 5].map(() => add(20)));
    await at.clock.advance(30_000);
    const { accountId } = await add(1);
    const gate = Promise.withResolvers<void>();
    at.afterStart = ({ session }) => (session?.accountId === accountId ? undefined : gate.promise);
    await at.clock.advance(30_000);
    const ticker = at.ticker();
    await ticker.begin();
    await expect.poll(() => at.runs.some(({ session }) => session?.accountId === accountId)).toBe(true);
    const hanging = noisy.map((account) => at.runs.filter(({ session }) => session?.accountId === account.accountId));
    expect(hanging.every((runs) => runs.length > 0 && runs.length <= 8)).toBe(true);
    gate.resolve();
    await ticker.settle();
    expect(at.runs).toHaveLength(101);
  });
});

describe('the runs that the schedules of an account start in an hour', () => {
  test('are bounded, whichever replica starts them; the schedules tell that and go on in the next hour', async () => {
    at = await openSchedules({ runsPerHour: 5 });
    const { accountId, ids } = await add(4);
    const other = await add(1);
    await at.clock.advance(60_000);
    await Promise.all([at.look(), at.look()]);
    expect(at.runs).toHaveLength(5);
    await at.clock.advance(60_000);
    await Promise.all([at.look(), at.look()]);
    const ofAccount = () => at.runs.filter(({ session }) => session?.accountId === accountId);
    expect(ofAccount()).toHaveLength(5);
    expect(at.ticksOf(other.ids[0] ?? '')).toHaveLength(2);
    const { schedules } = await at.client.listSchedules({ accountId });
    const told = schedules.filter(({ lastRun }) =>
      lastRun?.error.startsWith('The schedules of the account have started 5'),
    );
    expect([told.length, schedules.every(({ enabled }) => enabled)]).toEqual([3, true]);
    await at.clock.advance(3_480_000);
    await at.look();
    expect(ofAccount()).toHaveLength(9);
    expect(at.ticksOf(ids[0] ?? '').at(-1)).toBe('2026-11-22T01:00:00.000Z');
  });

  test('count a tick once, however often its run is tried', async () => {
    at = await openSchedules({ runsPerHour: 1 });
    const { ids } = await add(1);
    at.afterStart = () => {
      throw new Error('away');
    };
    await at.clock.advance(60_000);
    await at.live(12);
    at.afterStart = () => undefined;
    await at.live(6);
    expect(at.ticksOf(ids[0] ?? '')).toEqual(['2026-11-22T00:01:00.000Z']);
    const [schedule] = (await at.client.listSchedules({ accountId: at.runs[0]?.session?.accountId ?? '' })).schedules;
    expect(schedule?.lastRun).toMatchObject({ error: '', invocationId: at.runs[0]?.invocationId });
  });
});

describe('the least time between two ticks', () => {
  const refused = { code: 'invalid_argument', reason: 'schedule_cron_invalid' };

  test('bounds cron expressions with seconds, in a change too; a schedule that is faster can be paused', async () => {
    at = await openSchedules();
    for (const cron of ['* * * * * *', '0,30 0 9 * * *', '59 59 23 * * *,0 0 0 * * *', '0,58 * * * * *'])
      await expect(add(1, { cron })).rejects.toMatchObject(refused);
    const { accountId, ids } = await add(1, { cron: '30 0 9 * * *' });
    const key = { accountId, id: ids[0] ?? '' };
    await expect(at.client.updateSchedule({ ...key, cron: '*/5 * * * * *' })).rejects.toMatchObject(refused);
    await at.client.updateSchedule({ ...key, cron: '* * * * *' });
    await at.client.updateSchedule({ ...key, enabled: false });
  });

  test('may be longer than a minute, or shorter', async () => {
    at = await openSchedules({ minSeconds: 3_600 });
    await expect(add(1, { cron: '*/30 * * * *' })).rejects.toMatchObject(refused);
    await add(1, { cron: '0 * * * *' });
    await at[Symbol.asyncDispose]();
    at = await openSchedules({ minSeconds: 1 });
    const { ids } = await add(1, { cron: '* * * * * *' });
    await at.live(3);
    expect(at.ticksOf(ids[0] ?? '')).toHaveLength(3);
  });
});
