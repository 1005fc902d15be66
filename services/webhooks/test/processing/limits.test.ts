import { expect, test } from 'vitest';
import { notifyGraph, openProcessing, subscribe } from './open-processing.ts';

test('mails at the same time start no more runs than a sender may, and not more than a subscription may', async () => {
  await using at = await openProcessing({ runsPerSender: 5, runsPerSubscription: 7 });
  const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
  const addMails = (sender: string) =>
    Array.from({ length: 8 }, () => at.microsoft.addMail(address, { from: { address: sender } }).immutableId);
  // One row each, in this order: mails of one request have no order.
  for (const sender of ['bob@example.org', 'eve@example.org']) await notifyGraph(at, address, addMails(sender));
  await at.settle();
  expect(at.siblings.runs).toHaveLength(7);
  const { logs } = await at.logs.listLogs({ accountId });
  const skipped = logs.filter(({ status }) => status === 'skipped').map(({ errorMessage }) => errorMessage);
  expect(skipped).toEqual(Array(3).fill('The mail was skipped: its sender has started 5 runs in an hour.'));
});

test('runs that wait for a person keep no other mail of their mailbox waiting, and end when they are answered', async () => {
  await using at = await openProcessing();
  const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
  at.siblings.decide = () => 'waits';
  const addMail = () => at.microsoft.addMail(address, {}).immutableId;
  await notifyGraph(at, address, Array.from({ length: 12 }, addMail));
  await at.settle();
  expect(at.siblings.runs).toHaveLength(12);
  at.siblings.decide = () => 'completed';
  await at.advance(3_600);
  await notifyGraph(at, address, [addMail()]);
  await at.settle();
  const statuses = async () => (await at.logs.listLogs({ accountId })).logs.map(({ status }) => status);
  expect(await statuses()).toEqual(['success', ...Array(12).fill('in_progress')]);
  at.siblings.announces = false;
  for (const run of at.siblings.runs.slice(0, 12)) await at.siblings.end(run, 'completed');
  await at.advance(600);
  expect(await statuses()).toEqual(Array(13).fill('success'));
});

test('runs that wait for a person keep no other mail waiting at any moment between two looks at them', async () => {
  await using at = await openProcessing();
  const { address } = await subscribe(at, { provider: 'microsoft' });
  at.siblings.decide = () => 'waits';
  const addMail = () => at.microsoft.addMail(address, {}).immutableId;
  await notifyGraph(at, address, Array.from({ length: 12 }, addMail));
  await at.settle();
  await at.advance(3_600);
  at.siblings.decide = () => 'completed';
  for (let others = 1; others <= 8; others += 1) {
    await at.advance(45);
    await notifyGraph(at, address, [addMail()]);
    await at.settle();
    expect(at.siblings.runs).toHaveLength(12 + others);
  }
});

test('a run that waits is not taken for the run of a copy of its session, which has the same id', async () => {
  await using at = await openProcessing();
  const { accountId, address } = await subscribe(at, { provider: 'microsoft', template: 'own' });
  at.siblings.decide = () => 'waits';
  await notifyGraph(at, address, [at.microsoft.addMail(address, {}).immutableId]);
  await at.settle();
  const [run] = at.siblings.runs;
  if (run === undefined) return expect.fail('there is no run');
  const copy = { ...run, sessionId: 'copy', message: 'of the copy' };
  at.siblings.runs.push(copy);
  await at.siblings.end(copy, 'completed');
  await at.advance(600);
  const logs = async () => (await at.logs.listLogs({ accountId })).logs;
  expect(await logs()).toMatchObject([{ status: 'in_progress' }]);
  await at.siblings.end(run, 'completed');
  await at.advance(600);
  expect(await logs()).toMatchObject([{ status: 'success', agentResponse: 'done: own' }]);
});

test.each(['a model', 'Microsoft'])(
  'old mail that its owner triggers again waits while %s takes no more, as new mail does, and is given up after a day',
  async (side) => {
    await using at = await openProcessing();
    const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
    at.siblings.decide = () => 'UNAUTHENTICATED';
    await notifyGraph(
      at,
      address,
      Array.from({ length: 6 }, () => at.microsoft.addMail(address, {}).immutableId),
    );
    await at.settle();
    await at.advance(3 * 86_400);
    at.siblings.decide = () => (side === 'a model' ? 'RESOURCE_EXHAUSTED' : 'completed');
    const busy = { status: 429, headers: { 'retry-after': '60' }, body: {} };
    if (side === 'Microsoft') at.microsoft.graph.fault({ path: /\/me\/messages\//, action: busy, times: 1_000 });
    await at.logs.retriggerLogs({ accountId, statuses: ['error'] });
    await at.settle();
    const statuses = async () => (await at.logs.listLogs({ accountId })).logs.map(({ status }) => status);
    expect(await statuses()).not.toContain('error');
    await at.advance(86_000);
    expect(await statuses()).not.toContain('error');
    for (let n = 0; n < 12; n += 1) await at.advance(100);
    expect(await statuses()).toEqual(Array(6).fill('error'));
  },
);

test('mail of subscriptions that are gone takes no place among the 200 that are triggered again by their status', async () => {
  await using at = await openProcessing();
  const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
  at.siblings.decide = () => 'UNAUTHENTICATED';
  const addEnded = `insert into logs (account_id, subscription_id, watch_id, provider, mailbox, agent_id, message_id, change_type, status, created_at, completed_at)
    select $1, 2000000, 1, 'microsoft', $2, 7, number::text, 'created', 'error', $3, $3 from generate_series(1, 201) number`;
  await at.db.query({ text: addEnded }, [accountId, address, at.clock.now()]);
  await notifyGraph(at, address, [at.microsoft.addMail(address, {}).immutableId]);
  await at.settle();
  at.siblings.decide = () => 'completed';
  const { logIds } = await at.logs.retriggerLogs({ accountId, statuses: ['error'] });
  await at.settle();
  expect((await at.logs.listLogs({ accountId, statuses: ['success'] })).logs.map(({ id }) => id)).toEqual(logIds);
  expect(logIds).toHaveLength(1);
});

test.each(['a model', 'Microsoft'])(
  'mail is not tried again at once when %s takes no more and asks for no pause',
  async (side) => {
    await using at = await openProcessing();
    const { address } = await subscribe(at, { provider: 'microsoft' });
    at.siblings.retryAfterSeconds = 0;
    at.siblings.decide = () => (at.siblings.runs.length < 3 ? 'RESOURCE_EXHAUSTED' : 'completed');
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: {} };
    if (side === 'Microsoft') at.microsoft.graph.fault({ path: /\/me\/messages\//, action: busy, times: 3 });
    const asked = () => at.microsoft.graph.callsOf('GET', /\/me\/messages\//).length;
    await notifyGraph(at, address, [at.microsoft.addMail(address, {}).immutableId]);
    await at.settle();
    expect([asked(), at.siblings.runs.length]).toEqual(side === 'Microsoft' ? [1, 0] : [1, 1]);
    await at.advance(62);
    await at.advance(1);
    expect([asked(), at.siblings.runs.length]).toEqual(side === 'Microsoft' ? [2, 0] : [1, 2]);
  },
);
