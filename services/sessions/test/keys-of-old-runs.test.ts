import { randomUUID } from 'node:crypto';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { Usage } from '@agentmesh/lib/usage';
import { expect, test } from 'vitest';
import { heldBy } from '../src/account-usage.ts';
import { deleteOld } from '../src/retention/delete-old.ts';
import { deleteOldestRuns } from '../src/store/retention/grown-accounts.ts';
import { agentEvent, beginWith, newKey, startSessionsForFile } from './sessions.ts';
import { appendTo, completed } from './turns/drive-turns.ts';

const service = startSessionsForFile();
const log = createLogger({ level: 'silent', name: 'test' });
const migrations = new URL('../migrations/', import.meta.url);

test.each(['by their age', 'as the oldest of an account'])(
  'the key of a run stays when the runs of another session with its id go %s',
  async (how) => {
    const options = { service: 'sessions', url: service.databaseUrl, poolSize: 2, migrations };
    await using db = await openDatabase(options, log);
    const key = newKey();
    const { accountId } = key;
    const endRun = async (sessionId: string, age: number, idempotencyKey = '') => {
      const session = { ...key, sessionId };
      await service.client.createSession({ session });
      const { turn } = await service.client.beginTurn(
        beginWith(session, 'x', { invocationId: 'e-same', idempotencyKey }),
      );
      if (turn === undefined) throw new Error('the run was queued');
      await service.client.appendEvents(appendTo(turn, [agentEvent('e-same', 'y')], completed));
      const time = `now() - $2 * interval '1 day'`;
      const text = `update runs set created_at = ${time}, ended_at = ${time} where session_pk = $1`;
      await db.query({ text }, [turn.sessionPk, age]);
    };
    const collect = async (days: number) => {
      if (how !== 'by their age') return deleteOldestRuns(db, { accountId, limit: 1 });
      await service.client.setRetention({ accountId, rules: [{ days }] });
      const usage = new Usage({ db, heldBy });
      return deleteOld({ db, usage, defaultDays: 0, draining: new AbortController().signal });
    };
    const keys = () => db.query({ text: 'select from run_keys where account_id = $1' }, [accountId]);
    await endRun('old', 40);
    await endRun('new', 20, randomUUID());
    await collect(30);
    expect(await keys()).toHaveLength(1);
    await collect(10);
    expect(await keys()).toHaveLength(0);
  },
);
