import { randomUUID } from 'node:crypto';
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
const refused = (): never => {
  throw new MeshError('not_found', 'app_not_found', 'No root_agent found.');
};

describe('a schedule', () => {
  test('whose runs are refused leaves no session behind', async () => {
    await add();
    at.beforeStart = refused;
    await at.clock.advance(600_000);
    await at.look();
    expect(at.requests).toHaveLength(1);
    expect(at.sessions.size).toBe(0);
  });

  test('that is refused ten times in a row pauses and tells its owner once, and runs again when it is resumed', async () => {
    const key = await add({ cron: '* * * * *' });
    const minutes = async (number: number) => {
      for (let minute = 0; minute < number; minute += 1) {
        await at.clock.advance(60_000);
        await Promise.all([at.look(), at.look()]);
      }
    };
    at.beforeStart = refused;
    await minutes(9);
    at.beforeStart = () => undefined;
    await minutes(1);
    at.beforeStart = refused;
    await minutes(9);
    expect([(await read(key))?.enabled, at.notices.size]).toEqual([true, 0]);
    await minutes(3);
    expect(await read(key)).toMatchObject({
      enabled: false,
      nextTimes: [],
      lastRun: { error: 'No root_agent found.' },
    });
    expect(at.requests).toHaveLength(20);
    const [notice] = at.notices.values();
    expect([notice?.accountId, notice?.type, at.notices.size]).toEqual([key.accountId, 'schedule_paused', 1]);
    expect(notice?.body).toContain('No root_agent found.');
    await at.client.updateSchedule({ ...key, enabled: true });
    await minutes(9);
    expect((await read(key))?.enabled).toBe(true);
    at.beforeStart = () => undefined;
    await minutes(1);
    expect(at.runs).toHaveLength(2);
  });

  test('that pauses tells its owner also when notices cannot be stored for longer than a day', async () => {
    const { accountId } = await add({ cron: '* * * * *' });
    at.beforeStart = refused;
    at.beforeNotice = () => {
      throw new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.');
    };
    for (let minute = 0; minute < 10; minute += 1) {
      await at.clock.advance(60_000);
      await at.look();
    }
    const attemptAgain = async () => {
      await at.db.query({ text: 'update webhooks_jobs.job set retry_count = 150, start_after = now()' });
      await at.look();
    };
    await attemptAgain();
    expect(at.notices.size).toBe(0);
    at.beforeNotice = () => undefined;
    await attemptAgain();
    expect(Array.from(at.notices.values(), (notice) => notice.accountId)).toEqual([accountId]);
  });

  test('that its owner resumes before the notice of its pause could be stored has none', async () => {
    const key = await add({ cron: '* * * * *' });
    at.beforeStart = refused;
    at.beforeNotice = () => {
      throw new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.');
    };
    for (let minute = 0; minute < 10; minute += 1) {
      await at.clock.advance(60_000);
      await at.look();
    }
    await at.client.updateSchedule({ ...key, appName: 'mended', enabled: true });
    at.beforeNotice = () => undefined;
    await at.db.query({ text: 'update webhooks_jobs.job set start_after = now()' });
    await at.look();
    expect([(await read(key))?.enabled, at.notices.size]).toEqual([true, 0]);
  });

  test('that its owner mends while its tenth run is refused goes on, and nobody is told that it is paused', async () => {
    const key = await add({ cron: '* * * * *' });
    at.beforeStart = async () => {
      if (at.requests.length === 10) await at.client.updateSchedule({ ...key, appName: 'mended' });
      refused();
    };
    for (let minute = 0; minute < 11; minute += 1) {
      await at.clock.advance(60_000);
      await at.look();
    }
    expect(await read(key)).toMatchObject({ enabled: true, nextTimes: expect.arrayContaining([expect.anything()]) });
    expect([at.requests.length, at.notices.size]).toEqual([11, 0]);
  });

  test('that its owner changes while the notice of its pause is stored stays paused, as the notice says', async () => {
    const key = await add({ cron: '* * * * *' });
    at.beforeStart = refused;
    const changed: (boolean | undefined)[] = [];
    at.beforeNotice = async () => {
      const { schedule } = await at.client.updateSchedule({ ...key, appName: 'mended' });
      changed.push(schedule?.enabled);
    };
    for (let minute = 0; minute < 11; minute += 1) {
      await at.clock.advance(60_000);
      await at.look();
    }
    expect([changed, at.notices.size, (await read(key))?.enabled]).toEqual([[false], 1, false]);
  });

  test('that cannot pause while PostgreSQL fails tells nobody that it is paused', async () => {
    const key = await add({ cron: '* * * * *' });
    at.beforeStart = refused;
    for (let minute = 0; minute < 9; minute += 1) {
      await at.clock.advance(60_000);
      await at.look();
    }
    await at.db.query({ text: 'alter table schedules add constraint failing check (enabled)' });
    await at.clock.advance(60_000);
    await at.look();
    expect([at.notices.size, (await read(key))?.enabled]).toEqual([0, true]);
    await at.db.query({ text: 'alter table schedules drop constraint failing' });
    await at.clock.advance(31_000);
    await at.look();
    expect([at.notices.size, (await read(key))?.enabled]).toEqual([1, false]);
  });

  test('whose tick was taken over shows the run of that, not why the attempt before it was refused', async () => {
    const key = await add({ cron: '* * * * *', sessionId: 'daily', multitask: Multitask.REJECT });
    at.beforeStart = async () => {
      at.beforeStart = () => undefined;
      await at.clock.advance(31_000);
      await at.look();
      // The look around this one may have taken the tick over.
      await expect.poll(async () => (await read(key))?.lastRun).toBeDefined();
      throw new MeshError('already_exists', 'session_busy', 'Another run of the session is queued or running.');
    };
    await at.clock.advance(60_000);
    await at.look();
    const [run] = at.runs;
    expect((await read(key))?.lastRun).toMatchObject({ invocationId: run?.invocationId, error: '' });
  });

  test('whose session is always busy does not pause', async () => {
    const key = await add({ cron: '* * * * *', sessionId: 'daily', multitask: Multitask.REJECT });
    at.beforeStart = () => {
      throw new MeshError('already_exists', 'session_busy', 'Another run of the session is queued or running.');
    };
    for (let minute = 0; minute < 12; minute += 1) {
      await at.clock.advance(60_000);
      await at.look();
    }
    expect((await read(key))?.enabled).toBe(true);
  });
});

test('a schedule that was stored with a message that no run takes can be changed and paused, and gets no other such message', async () => {
  const key = await add();
  await at.db.query({ text: "update schedules set message = '{}' where id = $1" }, [key.id]);
  await at.client.updateSchedule({ ...key, cron: '*/20 * * * *' });
  await at.client.updateSchedule({ ...key, enabled: false });
  expect(await read(key)).toMatchObject({ cron: '*/20 * * * *', enabled: false });
  const refusal = { code: 'invalid_argument', reason: 'schedule_message_invalid' };
  for (const messageJson of [Buffer.from('{}'), Buffer.from('{"parts":[{"functionCall":{"name":"f"}}]}')])
    await expect(at.client.updateSchedule({ ...key, messageJson })).rejects.toMatchObject(refusal);
  await at.client.updateSchedule({ ...key, messageJson: fields.messageJson, enabled: true });
});

test('the session of all runs of a schedule is one that a run can make: a blank one is none, and one that ends in :cancel is refused', async () => {
  const refusal = { code: 'invalid_argument', reason: 'schedule_session_invalid' };
  await expect(add({ sessionId: 's1:cancel' })).rejects.toMatchObject(refusal);
  const key = await add({ sessionId: ' daily ' });
  expect(await read(key)).toMatchObject({ sessionId: 'daily' });
  await expect(at.client.updateSchedule({ ...key, sessionId: 's1:cancel ' })).rejects.toMatchObject(refusal);
  await at.client.updateSchedule({ ...key, sessionId: '  ' });
  expect((await read(key))?.sessionId ?? '').toBe('');
  await at.db.query({ text: "update schedules set session_id = 's1:cancel' where id = $1" }, [key.id]);
  await at.client.updateSchedule({ ...key, enabled: false });
  expect(await read(key)).toMatchObject({ sessionId: 's1:cancel', enabled: false });
});
