import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import type { Context } from '../../context.ts';
import { createSettleAwaitedRuns } from '../../jobs/settle-awaited-runs.ts';
import { deleteAwaitedRun } from '../../store/awaited-runs.ts';
import { selectNotices } from '../../store/notices.ts';
import { AwaitedHere } from './awaited-here.ts';
import { awaitRun, checkAwaited } from './await-run.ts';
import { settleRun } from './settle-run.ts';

test('a run makes one notice, whoever looks and however often, also when all hints are lost', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const accountId = randomUUID();
  const place = { accountId, appName: 'agent1', userId: 'u', sessionId: 's' };
  const statuses = new Map<string, RunStatus>();
  const getRun = ({ invocationId }: { invocationId: string }) => {
    const status = statuses.get(invocationId);
    if (status === undefined) return Promise.reject(new MeshError('not_found', 'run_not_found', 'Run not found'));
    const run = { status, appName: 'agent1', userId: 'u', sessionId: 's', errorMessage: 'no luck', errorCode: 'X' };
    return Promise.resolve({ run });
  };
  const bus = { publish: () => Promise.reject(new Error('the bus is away')) };
  const replica = () =>
    ({
      awaited: new AwaitedHere(),
      bus,
      config: { maxAwaited: 3 },
      db,
      log,
      sessions: { getRun },
    }) as unknown as Context;
  const [one, other] = [replica(), replica()];
  const noticesOf = () => selectNotices(db, { accountId, unreadOnly: false, beforeId: 0n, limit: 10 });
  const look = async () => {
    await db.query({ text: 'update awaited_runs set look_at = now()' });
    await Promise.all([createSettleAwaitedRuns(one).run(), createSettleAwaitedRuns(other).run()]);
  };

  statuses.set('running', RunStatus.RUNNING);
  statuses.set('failed', RunStatus.FAILED);
  for (const invocationId of ['running', 'failed', 'unknown']) {
    await awaitRun(one, { ...place, invocationId, title: 'poet' });
  }
  await look();
  expect(await noticesOf()).toMatchObject([{ type: 'run_failed', body: 'no luck', title: 'poet' }]);

  statuses.set('running', RunStatus.COMPLETED);
  const name = { ...place, invocationId: 'running' };
  await Promise.all([settleRun(one, name), settleRun(other, name), look()]);
  await awaitRun(other, { ...place, invocationId: 'failed', title: 'again' });
  await look();
  expect((await noticesOf()).map(({ type }) => type)).toEqual(['run_completed', 'run_failed']);
  expect(await db.query({ text: 'select 1 from awaited_runs' })).toEqual([]);
});

test('an account awaits as many runs as it may, also when 250 are noted at once, and the end of one makes room', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const accountId = randomUUID();
  const place = { accountId, appName: 'agent1', userId: 'u', sessionId: 's' };
  const context = { awaited: new AwaitedHere(), config: { maxAwaited: 10 }, db };
  const waiting = () => db.query({ text: 'select 1 from awaited_runs where account_id = $1' }, [accountId]);
  for (let number = 0; number < 9; number++)
    await awaitRun(context, { ...place, invocationId: `e-${number}`, title: 'poet' });
  await checkAwaited(context, accountId);
  await awaitRun(context, { ...place, invocationId: 'e-9', title: 'poet' });
  const full = { code: 'resource_exhausted', reason: 'awaited_runs_too_many' };
  await expect(checkAwaited(context, accountId)).rejects.toMatchObject(full);
  await Promise.all(
    Array.from({ length: 250 }, (_, number) =>
      awaitRun(context, { ...place, invocationId: `more-${number}`, title: 'poet' }),
    ),
  );
  expect(await waiting()).toHaveLength(10);
  await checkAwaited(context, randomUUID());
  await deleteAwaitedRun(db, { ...place, invocationId: 'e-3' });
  await checkAwaited(context, accountId);
});
