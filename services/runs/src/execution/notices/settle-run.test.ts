import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import type { Context } from '../../context.ts';
import { createSettleAwaitedRuns } from '../../jobs/settle-awaited-runs.ts';
import { selectNotices } from '../../store/notices.ts';
import { awaitRun } from './await-run.ts';
import { settleRun } from './settle-run.ts';

test('a run makes one notice, whoever looks and however often, also when all hints are lost', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const accountId = randomUUID();
  const statuses = new Map<string, RunStatus>();
  const getRun = ({ invocationId }: { invocationId: string }) => {
    const status = statuses.get(invocationId);
    if (status === undefined) return Promise.reject(new MeshError('not_found', 'run_not_found', 'Run not found'));
    const run = { status, appName: 'agent1', userId: 'u', sessionId: 's', errorMessage: 'no luck', errorCode: 'X' };
    return Promise.resolve({ run });
  };
  const bus = { publish: () => Promise.reject(new Error('the bus is away')) };
  const replica = () => ({ awaited: new Set<string>(), bus, db, log, sessions: { getRun } }) as unknown as Context;
  const [one, other] = [replica(), replica()];
  const noticesOf = () => selectNotices(db, { accountId, unreadOnly: false, beforeId: 0n, limit: 10 });
  const look = async () => {
    await db.query({ text: 'update awaited_runs set look_at = now()' });
    await Promise.all([createSettleAwaitedRuns(one).run(), createSettleAwaitedRuns(other).run()]);
  };

  statuses.set('running', RunStatus.RUNNING);
  statuses.set('failed', RunStatus.FAILED);
  for (const invocationId of ['running', 'failed', 'unknown']) {
    await awaitRun(one, { accountId, invocationId, title: 'poet' });
  }
  await look();
  expect(await noticesOf()).toMatchObject([{ type: 'run_failed', body: 'no luck', title: 'poet' }]);

  statuses.set('running', RunStatus.COMPLETED);
  const name = { accountId, invocationId: 'running' };
  await Promise.all([settleRun(one, name), settleRun(other, name), look()]);
  await awaitRun(other, { accountId, invocationId: 'failed', title: 'again' });
  await look();
  expect((await noticesOf()).map(({ type }) => type)).toEqual(['run_completed', 'run_failed']);
  expect(await db.query({ text: 'select 1 from awaited_runs' })).toEqual([]);
});
