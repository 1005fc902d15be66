import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSchedules, type TestSchedules } from './open-schedules.ts';

let at: TestSchedules;
beforeEach(async () => {
  at = await openSchedules();
});
afterEach(() => at[Symbol.asyncDispose]());

async function add() {
  const accountId = randomUUID();
  const messageJson = Buffer.from('{"role":"user","parts":[{"text":"hello"}]}');
  const names = { appName: 'echo', userId: 'u1', sessionId: 'daily' };
  const times = { cron: '*/10 * * * *', timezone: 'UTC', enabled: true };
  const { schedule } = await at.client.createSchedule({ accountId, ...times, ...names, messageJson });
  return { accountId, id: schedule?.id ?? '' };
}

const read = async (key: { accountId: string; id: string }) => (await at.client.getSchedule(key)).schedule;
const changed = { appName: 'other', userId: 'u2', sessionId: 'nightly' };

describe('the last run of a schedule', () => {
  test('names the app, the user and the session that it had then', async () => {
    const key = await add();
    await at.clock.advance(600_000);
    await at.look();
    await at.client.updateSchedule({ ...key, ...changed });
    const place = { appName: 'echo', userId: 'u1', sessionId: 'daily' };
    expect(await read(key)).toMatchObject({ ...changed, lastRun: place });
  });

  test('that a former attempt has started is named as it was started, though the schedule was changed before the next attempt', async () => {
    const key = await add();
    at.afterStart = () => {
      throw new MeshError('unavailable', 'upstream_unavailable', 'The service is away.');
    };
    await at.clock.advance(600_000);
    await at.look();
    await at.client.updateSchedule({ ...key, ...changed });
    at.beforeStart = () => {
      throw new MeshError('failed_precondition', 'idempotency_key_reused', 'Another request has the key.');
    };
    await at.live(10);
    const place = { appName: 'echo', userId: 'u1', sessionId: 'daily' };
    expect((await read(key))?.lastRun).toMatchObject({ ...place, invocationId: at.runs[0]?.invocationId, error: '' });
  });

  test('that a process of the former version has written names no app and no user, also after one of this version', async () => {
    const key = await add();
    await at.clock.advance(600_000);
    await at.look();
    expect((await read(key))?.lastRun).toMatchObject({ appName: 'echo', userId: 'u1' });
    await at.db.query({
      text: "update schedules set last_at = last_at + interval '10 minutes', last_invocation_id = 'e-2'",
    });
    expect((await read(key))?.lastRun).toMatchObject({ appName: '', userId: '', sessionId: 'daily' });
  });
});
