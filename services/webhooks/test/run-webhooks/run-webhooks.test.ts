import { randomUUID } from 'node:crypto';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settleRunWebhook } from '../../src/deliveries/settle-run-webhook.ts';
import { checkRunWebhooks } from '../../src/jobs/check-run-webhooks.ts';
import { selectRunWebhooks } from '../../src/store/run-webhooks.ts';
import { openRunWebhooks, secret, type TestRun, type TestRunWebhooks } from './open-run-webhooks.ts';

let at: TestRunWebhooks;
beforeAll(async () => {
  at = await openRunWebhooks();
});
afterAll(() => at[Symbol.asyncDispose]());

const deliveriesOf = async (run: TestRun) => (await at.client.listDeliveries(run)).deliveries;
const contentOf = ({ body }: { body: string }) => JSON.parse(body) as { type: string; data: Record<string, unknown> };

test('all webhooks of an account are told page by page, without their secrets, and those of no other account', async () => {
  const accountId = randomUUID();
  const runs = [];
  for (const path of ['/a', '/b', '/c']) runs.push(await at.register(path, { accountId }));
  await at.register('/other');
  const found = [];
  let after: Uint8Array = new Uint8Array(0);
  do {
    const page = await at.client.listRunWebhooks({ accountId, after, limit: 2 });
    found.push(...page.webhooks);
    after = page.nextAfter;
  } while (after.length > 0);
  const told = new Map(found.map(({ invocationId, url }) => [invocationId, new URL(url).pathname]));
  expect(told).toEqual(new Map(runs.map(({ invocationId }, index) => [invocationId, ['/a', '/b', '/c'][index]])));
  expect(found).toHaveLength(3);
  expect(JSON.stringify(found)).not.toContain('secret');
});

describe('a webhook of a run', () => {
  test('is told once that the run has ended, however often that is announced', async () => {
    const run = await at.register('/once');
    for (let times = 0; times < 3; times += 1) await at.end(run, RunStatus.COMPLETED);
    await at.deliverer().settle();
    expect(at.receiver.at('/once').map(contentOf)).toEqual([
      {
        type: 'run.completed',
        timestamp: '2026-11-22T00:00:00.000Z',
        data: expect.objectContaining({ invocationId: run.invocationId, appName: 'echo', status: 'completed' }),
      },
    ]);
    expect(await deliveriesOf(run)).toMatchObject([
      { status: 'delivered', attempts: 1, responseStatus: 204, error: '' },
    ]);
  });

  test('is told each time that the run waits, and when it goes on to its end', async () => {
    const run = await at.register('/waits');
    await at.end(run, RunStatus.WAITING);
    await at.end(run, RunStatus.RUNNING, 2);
    await at.end(run, RunStatus.WAITING, 2);
    await at.end(run, RunStatus.INTERRUPTED, 3);
    await at.deliverer().settle();
    const types = at.receiver.at('/waits').map((message) => contentOf(message).type);
    expect(types.toSorted()).toEqual(['run.interrupted', 'run.waiting', 'run.waiting']);
    expect(new Set(at.receiver.at('/waits').map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  test('is not told a wait by a replica that has read it before another one told a later wait', async () => {
    const run = await at.register('/order');
    const { db, sessions } = at.webhooks;
    at.ledger.set(run.invocationId, { ...at.ledger.get(run.invocationId), status: RunStatus.WAITING });
    const getRun: typeof sessions.getRun = async (request) => {
      const read = await sessions.getRun(request);
      await at.end(run, RunStatus.WAITING, 2);
      return read;
    };
    const slow = { ...at.webhooks, sessions: { ...sessions, getRun } };
    for (const row of await selectRunWebhooks(db, run)) await settleRunWebhook(slow, row);
    await at.end(run, RunStatus.WAITING, 2);
    await at.deliverer().settle();
    expect(at.receiver.at('/order').map((message) => contentOf(message).data.attempt)).toEqual([2]);
  });

  test('is told the end of a new run with the names of one that had more attempts', async () => {
    const run = await at.register('/again');
    await at.end(run, RunStatus.CANCELLED, 2);
    await at.register('/again', run);
    await at.end(run, RunStatus.COMPLETED, 1);
    await at.deliverer().settle();
    const types = at.receiver.at('/again').map((message) => contentOf(message).type);
    expect(types.toSorted()).toEqual(['run.cancelled', 'run.completed']);
  });

  test.each([
    ['waits', RunStatus.WAITING, true],
    ['ends', RunStatus.COMPLETED, false],
  ])('is told that a new run %s as an earlier one with its names did', async (word, status, isOpen) => {
    const run = await at.register(`/twice-${word}`);
    await at.end(run, status);
    await at.register(`/twice-${word}`, run);
    await at.end(run, status);
    await at.deliverer().settle();
    const ids = at.receiver.at(`/twice-${word}`).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
    expect(await selectRunWebhooks(at.webhooks.db, run)).toMatchObject([{ is_open: isOpen }]);
  });

  test('that a request with a key repeats is not told again what it was told', async () => {
    const run = await at.register('/repeated');
    await at.end(run, RunStatus.WAITING);
    const session = { accountId: run.accountId, appName: 'echo', userId: 'u1', sessionId: 's1' };
    const again = { session, invocationId: run.invocationId, url: `${at.receiver.url}/repeated`, secret };
    await at.client.registerRunWebhook({ ...again, isRepeatable: true });
    await at.end(run, RunStatus.WAITING);
    await at.deliverer().settle();
    expect(at.receiver.at('/repeated')).toHaveLength(1);
  });

  test('learns an end that nobody has announced', async () => {
    const run = await at.register('/unannounced');
    const { invocationId } = run;
    at.ledger.set(invocationId, { ...at.ledger.get(invocationId), status: RunStatus.FAILED, errorCode: 'BROKEN' });
    await at.clock.advance(30_000);
    await checkRunWebhooks(at.webhooks);
    await at.deliverer().settle();
    expect(at.receiver.at('/unannounced').map(contentOf)).toMatchObject([
      { type: 'run.failed', data: { errorCode: 'BROKEN' } },
    ]);
  });

  test('of a run that was never accepted is forgotten after five minutes, and not before', async () => {
    const run = await at.register('/never');
    at.ledger.delete(run.invocationId);
    await at.clock.advance(200_000);
    await checkRunWebhooks(at.webhooks);
    expect(await deliveriesOf(run)).toEqual([]);
    await at.clock.advance(200_000);
    await checkRunWebhooks(at.webhooks);
    await expect(deliveriesOf(run)).rejects.toMatchObject({ reason: 'run_webhook_not_found' });
  });

  test('of a run that is gone after it waited is over five minutes after its registration, and still delivers the wait', async () => {
    const run = await at.register('/gone');
    await at.end(run, RunStatus.WAITING);
    at.ledger.delete(run.invocationId);
    await at.clock.advance(200_000);
    await checkRunWebhooks(at.webhooks);
    expect(await selectRunWebhooks(at.webhooks.db, run)).toMatchObject([{ is_open: true }]);
    await at.clock.advance(200_000);
    await checkRunWebhooks(at.webhooks);
    expect(await selectRunWebhooks(at.webhooks.db, run)).toMatchObject([{ is_open: false }]);
    await at.deliverer().settle();
    expect(await deliveriesOf(run)).toMatchObject([{ type: 'run.waiting', status: 'delivered' }]);
  });

  test('of a run that was never accepted, with the names of an earlier one, keeps the messages of that one', async () => {
    const run = await at.register('/kept-of-earlier');
    await at.end(run, RunStatus.COMPLETED);
    await at.register('/kept-of-earlier', run);
    at.ledger.delete(run.invocationId);
    await at.clock.advance(400_000);
    await checkRunWebhooks(at.webhooks);
    await at.deliverer().settle();
    expect(await deliveriesOf(run)).toMatchObject([{ type: 'run.completed', status: 'delivered' }]);
    expect(await selectRunWebhooks(at.webhooks.db, run)).toMatchObject([{ is_open: false }]);
  });

  test('that is registered again while the ledger is asked for the earlier run stays', async () => {
    const run = await at.register('/anew');
    const { db, sessions } = at.webhooks;
    at.ledger.delete(run.invocationId);
    await at.clock.advance(400_000);
    const getRun: typeof sessions.getRun = async (request) => {
      await at.register('/anew', run);
      at.ledger.delete(run.invocationId);
      return sessions.getRun(request);
    };
    const slow = { ...at.webhooks, sessions: { ...sessions, getRun } };
    for (const row of await selectRunWebhooks(db, run)) await settleRunWebhook(slow, row);
    expect(await selectRunWebhooks(db, run)).toMatchObject([{ is_open: true }]);
  });

  test('is told nothing about a run of another session with the same id', async () => {
    const run = await at.register('/foreign');
    const { invocationId } = run;
    at.ledger.set(invocationId, { ...at.ledger.get(invocationId), sessionId: 'other' });
    await at.end(run, RunStatus.COMPLETED);
    await at.deliverer().settle();
    expect(at.receiver.at('/foreign')).toEqual([]);
  });

  test('is hidden from other accounts and other users', async () => {
    const run = await at.register('/hidden');
    const missing = { code: 'not_found', reason: 'run_webhook_not_found' };
    const other = { ...run, accountId: '00000000-0000-4000-8000-000000000000' };
    await expect(at.client.listDeliveries(other)).rejects.toMatchObject(missing);
    await expect(at.client.listDeliveries({ ...run, userId: 'u2' })).rejects.toMatchObject(missing);
    expect(await at.client.listDeliveries({ ...run, userId: 'u1' })).toMatchObject({ deliveries: [] });
  });

  test('that is registered again by a repeated request must be the same', async () => {
    const session = { accountId: '00000000-0000-4000-8000-000000000001', appName: 'a', userId: 'u', sessionId: 's' };
    const wanted = { session, invocationId: 'e-1', url: `${at.receiver.url}/x`, secret: '', isRepeatable: true };
    expect(await at.client.registerRunWebhook(wanted)).toMatchObject({ madeSecret: secret });
    expect(await at.client.registerRunWebhook(wanted)).toMatchObject({ madeSecret: '' });
    const reused = { reason: 'idempotency_key_reused' };
    for (const other of [{ url: `${wanted.url}y` }, { secret }]) {
      await expect(at.client.registerRunWebhook({ ...wanted, ...other })).rejects.toMatchObject(reused);
    }
  });

  test.each([
    'http://example.com/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://metadata.google.internal/',
    'https://user:secret@example.com/',
    'https://example.com/#a',
    'file:///etc/passwd',
    'example.com',
    `https://example.com/${'x'.repeat(2_000)}`,
  ])('may not have the address %s', async (url) => {
    const session = { accountId: '00000000-0000-4000-8000-000000000002', appName: 'a', userId: 'u', sessionId: 's' };
    const refused = { code: 'invalid_argument', reason: 'run_webhook_url_refused' };
    await expect(at.client.registerRunWebhook({ session, invocationId: 'e-1', url })).rejects.toMatchObject(refused);
  });
});

test('an account has at most 10,000 webhooks of runs that have not ended, also of 250 calls at once', async () => {
  const accountId = randomUUID();
  const text = `insert into run_webhooks (account_id, run_sha256, app_name, user_id, session_id, invocation_id, url, secret_id, secret,
      secret_fingerprint, created_at, check_at)
    select $1, sha256(n::text::bytea), 'echo', 'u1', 's1', n, 'https://example.com', gen_random_uuid(), '', '', now(), 'infinity'
    from generate_series(1, 9995) n`;
  await at.webhooks.db.query({ text }, [accountId]);
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, () => at.register('/full', { accountId })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});

test('an account keeps the newest 10,000 webhooks of ended runs, and none is taken whose message is not delivered', async () => {
  const accountId = randomUUID();
  const text = `insert into run_webhooks (account_id, run_sha256, app_name, user_id, session_id, invocation_id, url, secret_id, secret,
      secret_fingerprint, created_at, ended_at)
    select $1, sha256(n::text::bytea), 'echo', 'u1', 's1', n, 'https://example.com', gen_random_uuid(), '', '', now(),
      now() - make_interval(secs => n) from generate_series(1, 10010) n`;
  const { db } = at.webhooks;
  await db.query({ text }, [accountId]);
  const messages = `insert into deliveries (account_id, id, run_sha256, type, payload, status, created_at, give_up_at, next_attempt_at)
    select $1, 'm' || n, sha256(n::text::bytea), 'run.completed', '{}', 'pending', now(), 'infinity',
      case when n = 10010 then timestamptz 'infinity' end from generate_series(10005, 10010) n`;
  await db.query({ text: messages }, [accountId]);
  await at.register('/kept', { accountId });
  const left = { text: `select id from deliveries where account_id = $1` };
  expect(await db.query(left, [accountId])).toEqual([{ id: 'm10010' }]);
  const ended = { text: `select from run_webhooks where account_id = $1 and ended_at is not null` };
  expect(await db.query(ended, [accountId])).toHaveLength(10_002);
});
