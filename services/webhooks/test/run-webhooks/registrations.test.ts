import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { settleRunWebhook } from '../../src/deliveries/settle-run-webhook.ts';
import { checkRunWebhooks } from '../../src/jobs/check-run-webhooks.ts';
import { selectRunWebhooks } from '../../src/store/run-webhooks.ts';
import { openRunWebhooks, secret, type TestRun, type TestRunWebhooks } from './open-run-webhooks.ts';

let at: TestRunWebhooks;
beforeAll(async () => {
  at = await openRunWebhooks();
});
afterAll(() => at[Symbol.asyncDispose]());

const path = '/x';

describe('a webhook of a run that is not accepted yet', () => {
  /** Registers a webhook and lets it become too old to be kept without its run. */
  const registerOld = async (): Promise<TestRun> => {
    const run = await at.register(path);
    at.ledger.delete(run.invocationId);
    await at.clock.advance(400_000);
    return run;
  };
  const repeat = ({ accountId, invocationId }: TestRun) => {
    const session = { accountId, appName: 'echo', userId: 'u1', sessionId: 's1' };
    const registration = { session, invocationId, url: at.receiver.url + path, secret };
    return at.client.registerRunWebhook({ ...registration, isRepeatable: true });
  };

  test('that a request with a key repeats is kept as long as a new one', async () => {
    const run = await registerOld();
    await repeat(run);
    await checkRunWebhooks(at.webhooks);
    expect(await selectRunWebhooks(at.webhooks.db, run)).toMatchObject([{ is_open: true }]);
    await at.clock.advance(400_000);
    await checkRunWebhooks(at.webhooks);
    expect(await selectRunWebhooks(at.webhooks.db, run)).toEqual([]);
  });

  test('that is forgotten while a request with a key repeats it is registered again', async () => {
    const run = await registerOld();
    const { db } = at.webhooks;
    const query = db.query.bind(db);
    const spy = vi.spyOn(db, 'query').mockImplementation(async (statement, ...rest) => {
      if (statement.name === 'renew-run-webhook') {
        spy.mockRestore();
        await checkRunWebhooks(at.webhooks);
      }
      return query(statement, ...rest);
    });
    await repeat(run);
    expect(await selectRunWebhooks(db, run)).toMatchObject([{ is_open: true }]);
  });
});

test('a webhook that is registered anew while the ledger is asked is not told the end of the earlier run', async () => {
  const run = await at.register(path);
  const { db, sessions } = at.webhooks;
  at.ledger.set(run.invocationId, { ...at.ledger.get(run.invocationId), status: RunStatus.COMPLETED });
  const getRun: typeof sessions.getRun = async (request) => {
    const read = await sessions.getRun(request);
    await at.register(path, run);
    return read;
  };
  const slow = { ...at.webhooks, sessions: { ...sessions, getRun } };
  for (const row of await selectRunWebhooks(db, run)) await settleRunWebhook(slow, row);
  expect(await selectRunWebhooks(db, run)).toMatchObject([{ told: '', is_open: true }]);
});
