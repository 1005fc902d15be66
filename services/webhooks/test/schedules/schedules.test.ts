import { randomUUID } from 'node:crypto';
import { heldWrites } from '@agentmesh/lib/pg/testing';
import { MeshError } from '@agentmesh/lib/rpc';
import { Multitask } from '@agentmesh/proto/sessions/v1';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSchedules, type TestSchedules } from './open-schedules.ts';

let at: TestSchedules;
beforeEach(async () => {
  at = await openSchedules();
});
afterEach(() => at[Symbol.asyncDispose]());

const message = { role: 'user', parts: [{ text: 'hello' }] };
const fields = {
  cron: '*/10 * * * *',
  timezone: 'UTC',
  appName: 'echo',
  userId: 'u1',
  messageJson: Buffer.from(JSON.stringify(message)),
  enabled: true,
};

async function add(over: object = {}) {
  const accountId = randomUUID();
  const { schedule } = await at.client.createSchedule({ accountId, ...fields, ...over });
  return { accountId, id: schedule?.id ?? '' };
}

const read = async (key: { accountId: string; id: string }) => (await at.client.getSchedule(key)).schedule;
const seconds = (time: string) => Date.parse(time) / 1000;
const broken = (): never => {
  throw new MeshError('unavailable', 'service_unavailable', 'The service is away.');
};
const refused = (): never => {
  throw new MeshError('not_found', 'app_not_found', 'No root_agent found.');
};

describe('a schedule', () => {
  test('starts one run for each tick, in a session of its own', async () => {
    const key = await add();
    expect((await read(key))?.nextTimes).toEqual(
      [600, 1200, 1800].map((after) => seconds('2026-11-22T00:00:00Z') + after),
    );
    await at.clock.advance(599_000);
    await at.look();
    expect(at.runs).toEqual([]);
    await at.live(2);
    await at.clock.advance(600_000);
    await at.look();
    expect(at.ticksOf(key.id)).toEqual(['2026-11-22T00:10:00.000Z', '2026-11-22T00:20:00.000Z']);
    expect([...at.sessions]).toEqual([`schedule_${key.id}_20261122T001000Z`, `schedule_${key.id}_20261122T002000Z`]);
    const [run] = at.runs;
    expect(JSON.parse(Buffer.from(run?.messageJson ?? '').toString())).toEqual(message);
    expect(await read(key)).toMatchObject({
      lastRun: { time: seconds('2026-11-22T00:20:00Z'), invocationId: at.runs[1]?.invocationId, error: '' },
      missedTicks: 0n,
    });
  });

  test('with a session runs all ticks in it', async () => {
    await add({ sessionId: 'daily' });
    await at.clock.advance(600_000);
    await at.look();
    await at.clock.advance(600_000);
    await at.look();
    expect(at.runs.map(({ session }) => session?.sessionId)).toEqual(['daily', 'daily']);
    expect([...at.sessions]).toEqual(['daily']);
  });

  test('starts one run for each tick however many replicas look, and though they die', async () => {
    const key = await add({ cron: '* * * * *' });
    for (let minute = 0; minute < 20; minute += 1) {
      await at.clock.advance(60_000);
      // The process of every third tick dies when its run is durable, before it can write that.
      at.afterStart = minute % 3 === 0 ? broken : () => undefined;
      await Promise.all([at.look(), at.look(), at.look()]);
      at.afterStart = () => undefined;
      await at.clock.advance(6_000);
      await Promise.all([at.look(), at.look()]);
    }
    const ticks = at.ticksOf(key.id);
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks.length).toBeGreaterThanOrEqual(20);
    expect(at.requests.length).toBeGreaterThan(ticks.length);
    expect((await read(key))?.missedTicks).toBe(0n);
  });

  test('keeps its local time over a change of the clocks', async () => {
    await at.clock.advance(Date.parse('2027-03-27T00:00:00Z') - at.clock.now().getTime());
    const key = await add({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
    for (let hour = 0; hour < 72; hour += 1) {
      await at.clock.advance(1_800_000);
      await at.look();
      await at.clock.advance(1_800_000);
      await at.look();
    }
    expect(at.ticksOf(key.id)).toEqual([
      '2027-03-27T01:30:00.000Z',
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ]);
  });

  test('counts the ticks that nobody acted on in time as missed, and goes on', async () => {
    const key = await add();
    await at.clock.advance(3_605_000);
    await at.look();
    expect(at.ticksOf(key.id)).toEqual(['2026-11-22T01:00:00.000Z']);
    expect(await read(key)).toMatchObject({ missedTicks: 5n, lastMissedTime: seconds('2026-11-22T00:50:00Z') });
  });

  test('makes missed ticks up if it is told to, each once, and none that is older than a day', async () => {
    const key = await add({ cron: '0 * * * *', catchUp: true });
    await at.clock.advance(30 * 3_600_000 + 1_000);
    await at.look();
    const ticks = at.ticksOf(key.id);
    expect([ticks[0], ticks.at(-1), ticks.length]).toEqual([
      '2026-11-22T07:00:00.000Z',
      '2026-11-23T06:00:00.000Z',
      24,
    ]);
    expect(await read(key)).toMatchObject({ missedTicks: 6n });
    await at.look();
    expect(at.ticksOf(key.id)).toHaveLength(24);
  });

  test('makes up at most 100 ticks in a row', async () => {
    const key = await add({ cron: '* * * * *', catchUp: true });
    await at.clock.advance(12 * 3_600_000 + 1_000);
    await at.look();
    expect(at.ticksOf(key.id)).toHaveLength(101);
    expect(await read(key)).toMatchObject({ missedTicks: 100n });
  });

  test('tries a tick again while services are away, and tells why it has failed when its minute is over', async () => {
    const key = await add();
    at.beforeStart = broken;
    await at.clock.advance(600_000);
    await at.look();
    await at.live(30);
    at.beforeStart = () => undefined;
    await at.live(6);
    expect(at.ticksOf(key.id)).toEqual(['2026-11-22T00:10:00.000Z']);
    at.beforeStart = broken;
    await at.clock.advance(564_000);
    await at.live(70);
    expect(await read(key)).toMatchObject({
      lastRun: { time: seconds('2026-11-22T00:20:00Z'), invocationId: '', error: 'The service is away.' },
    });
  });

  test('tells why a run could not be started, and goes on with the next tick', async () => {
    const key = await add();
    at.beforeStart = refused;
    await at.clock.advance(600_000);
    await at.look();
    expect(await read(key)).toMatchObject({ lastRun: { invocationId: '', error: 'No root_agent found.' } });
    at.beforeStart = () => undefined;
    await at.clock.advance(600_000);
    await at.look();
    expect(at.ticksOf(key.id)).toEqual(['2026-11-22T00:20:00.000Z']);
  });

  test('that is paused runs nothing, and misses nothing', async () => {
    const key = await add();
    await at.client.updateSchedule({ ...key, enabled: false });
    expect((await read(key))?.nextTimes).toEqual([]);
    await at.clock.advance(3_600_000);
    await at.look();
    await at.client.updateSchedule({ ...key, enabled: true });
    await at.look();
    expect(at.runs).toEqual([]);
    await at.clock.advance(600_000);
    await at.look();
    expect(at.ticksOf(key.id)).toEqual(['2026-11-22T01:10:00.000Z']);
    expect((await read(key))?.missedTicks).toBe(0n);
  });

  test('that is changed keeps its other fields and, if its times stay, the tick that is due', async () => {
    const key = await add();
    await at.clock.advance(600_000);
    await at.client.updateSchedule({ ...key, userId: 'u2' });
    await at.look();
    expect(at.runs.map(({ session }) => session?.userId)).toEqual(['u2']);
    await at.client.updateSchedule({ ...key, cron: '5 * * * *', timezone: 'Asia/Kolkata' });
    expect(await read(key)).toMatchObject({ cron: '5 * * * *', userId: 'u2', appName: 'echo' });
    expect((await read(key))?.nextTimes[0]).toBe(seconds('2026-11-22T00:35:00Z'));
  });

  test('that is paused or gets other times while its tick is acted on tells that run as its latest, and no other one starts', async () => {
    const key = await add();
    for (const change of [{ enabled: false }, { enabled: true, cron: '15 * * * *' }]) {
      const tick = (await read(key))?.nextTimes[0] ?? 0;
      at.afterStart = async () => {
        await at.client.updateSchedule({ ...key, ...change });
      };
      await at.clock.advance(600_000);
      await at.look();
      at.afterStart = () => undefined;
      const changed = await read(key);
      expect(changed?.lastRun).toMatchObject({ time: tick, invocationId: at.runs.at(-1)?.invocationId, error: '' });
      expect(changed?.nextTimes.length).toBe(change.enabled ? 3 : 0);
      await at.client.updateSchedule({ ...key, enabled: true });
    }
    expect(at.runs).toHaveLength(2);
    await at.clock.advance(seconds('2026-11-22T01:15:00Z') * 1000 - at.clock.now().getTime());
    await at.look();
    expect(at.ticksOf(key.id).at(-1)).toBe('2026-11-22T01:15:00.000Z');
  });

  test('whose run was started by a process that died before it could write that has not missed the tick', async () => {
    const key = await add();
    at.afterStart = broken;
    await at.clock.advance(600_000);
    await at.look();
    at.afterStart = () => undefined;
    await at.clock.advance(300_000);
    await at.look();
    expect(await read(key)).toMatchObject({
      lastRun: { time: seconds('2026-11-22T00:10:00Z'), invocationId: at.runs[0]?.invocationId, error: '' },
      missedTicks: 0n,
    });
    expect(at.runs).toHaveLength(1);
  });

  test('that was changed between two attempts at a tick has the run of the first one', async () => {
    const key = await add();
    at.afterStart = broken;
    await at.clock.advance(600_000);
    await at.look();
    at.afterStart = () => {
      throw new MeshError('failed_precondition', 'idempotency_key_reused', 'Another request has the key.');
    };
    await at.live(10);
    const [run] = at.runs;
    expect((await read(key))?.lastRun).toMatchObject({ invocationId: run?.invocationId, error: '' });
  });

  test('whose session is busy tells that its run was rejected', async () => {
    const key = await add({ sessionId: 'daily', multitask: Multitask.REJECT });
    at.beforeStart = () => {
      throw new MeshError('already_exists', 'session_busy', 'Another run of the session is queued or running.');
    };
    await at.clock.advance(600_000);
    await at.look();
    expect((await read(key))?.lastRun).toMatchObject({
      invocationId: '',
      sessionId: 'daily',
      error: 'Another run of the session is queued or running.',
    });
    expect(at.requests.map(({ multitask }) => multitask)).toEqual([Multitask.REJECT]);
  });

  test('that is deleted runs no more', async () => {
    const key = await add();
    await at.client.deleteSchedule(key);
    await at.clock.advance(600_000);
    await at.look();
    expect(at.runs).toEqual([]);
    await expect(read(key)).rejects.toMatchObject({ reason: 'schedule_not_found' });
  });

  test('is hidden from other accounts', async () => {
    const { id } = await add();
    const foreign = { accountId: randomUUID(), id };
    const missing = { code: 'not_found', reason: 'schedule_not_found' };
    await expect(at.client.getSchedule(foreign)).rejects.toMatchObject(missing);
    await expect(at.client.updateSchedule({ ...foreign, enabled: false })).rejects.toMatchObject(missing);
    await expect(at.client.deleteSchedule(foreign)).rejects.toMatchObject(missing);
    expect((await at.client.listSchedules(foreign)).schedules).toEqual([]);
  });
});

test('an account has at most 100 schedules, also of 250 calls at once', async () => {
  const accountId = randomUUID();
  const create = () => at.client.createSchedule({ accountId, ...fields, enabled: false });
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, create));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
  expect((await at.client.listSchedules({ accountId })).schedules).toHaveLength(100);
});

test('an account has at most 100 schedules', async () => {
  const { accountId } = await add();
  for (let more = 1; more < 100; more += 1) await at.client.createSchedule({ accountId, ...fields, enabled: false });
  const refused = { code: 'resource_exhausted', reason: 'schedule_limit' };
  await expect(at.client.createSchedule({ accountId, ...fields })).rejects.toMatchObject(refused);
  expect((await at.client.listSchedules({ accountId })).schedules).toHaveLength(100);
});

test('of calls whose transactions meet one stores the hundredth schedule', async () => {
  const accountId = randomUUID();
  const create = () => at.client.createSchedule({ accountId, ...fields, enabled: false });
  for (let stored = 0; stored < 99; stored += 1) await create();
  const held = { url: at.databaseUrl, table: 'webhooks.schedules', atLeast: 3 };
  const outcomes = await heldWrites(held, () => Promise.allSettled(Array.from({ length: 8 }, create)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await at.client.listSchedules({ accountId })).schedules).toHaveLength(100);
});
