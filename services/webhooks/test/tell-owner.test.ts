import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Failing, mailOwner, ownerMailer, ownerTeller, tellOwner } from '../src/mail/tell-owner.ts';
import { updateAgentError } from '../src/store/subscriptions.ts';
import { connectNewAccount, driveSubscriptions } from './drive-subscriptions.ts';
import { openTestWebhooks, type TestWebhooks } from './open-test-webhooks.ts';

let webhooks: TestWebhooks;
let accountId: string;
beforeAll(async () => {
  webhooks = await openTestWebhooks();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

const { rows, created } = driveSubscriptions(() => ({ webhooks, accountId }));
const away = () => Promise.reject(new Error('away'));
const hour = 3_600_000;
let id: number;

beforeEach(async () => {
  accountId = await connectNewAccount(webhooks);
  await webhooks.context.db.query({ text: 'delete from webhooks_jobs.job' });
  webhooks.notices.length = 0;
  webhooks.added.length = 0;
  id = (await created()).id;
});

/** Makes attempts at the jobs that are due while services are away. */
async function tell(over: object = {}): Promise<void> {
  await notify(over);
  await webhooks.context.jobs.drain(mailOwner, ownerMailer({ ...webhooks.context, ...over }));
}

const notify = (over: object) => webhooks.context.jobs.drain(tellOwner, ownerTeller({ ...webhooks.context, ...over }));

/** Makes each job due that has failed, as if it had done so for days. Answers after how many seconds each would have been tried again. */
async function afterDays(): Promise<number[]> {
  const { db } = webhooks.context;
  const text = `update webhooks_jobs.job j set retry_count = 150, start_after = now() from webhooks_jobs.job former
    where former.id = j.id and j.state = 'retry' returning round(extract(epoch from former.start_after - now()))::integer as seconds`;
  return (await db.query<{ seconds: number }>({ text })).map(({ seconds }) => seconds);
}

async function failRenewal(): Promise<void> {
  webhooks.microsoft.graph.fault({ method: 'PATCH', times: 1, action: { status: 503, body: {} } });
  await webhooks.clock.advance(60 * hour);
  await webhooks.replica().round();
  expect(await rows('watches')).toMatchObject([{ failures: 1 }]);
}

describe('an owner whose subscription fails', () => {
  test.each([
    { service: 'auth', over: { auth: { sendNotice: away } } },
    { service: 'runs', over: { notices: { addNotice: away } } },
  ])('is told once by the notice and once by the mail, also when $service is away for days', async ({ over }) => {
    await failRenewal();
    const told = () => [webhooks.notices.length, webhooks.added.length];
    await tell(over);
    const first = 'auth' in over ? [0, 1] : [1, 0];
    expect(told()).toEqual(first);
    await afterDays();
    await tell(over);
    expect(told()).toEqual(first);
    expect(await afterDays()).toEqual([expect.toSatisfy((seconds: number) => seconds > 3_500 && seconds <= 3_600)]);
    await tell();
    expect(told()).toEqual([1, 1]);
    expect(await afterDays()).toEqual([]);
  });

  test('is told by the notice while auth does not answer', async () => {
    await failRenewal();
    await notify({ auth: { sendNotice: () => new Promise(() => undefined) } });
    expect(webhooks.added).toHaveLength(1);
  });

  test('and works again before it could be told is not told', async () => {
    await failRenewal();
    await tell({ auth: { sendNotice: away }, notices: { addNotice: away } });
    await webhooks.clock.advance(hour);
    await webhooks.replica().round();
    expect(await rows('watches')).toMatchObject([{ failures: 0 }]);
    await afterDays();
    await tell();
    expect([webhooks.notices, webhooks.added]).toEqual([[], []]);
  });

  test('works again and fails again before it could be told, is told once', async () => {
    await failRenewal();
    await tell({ auth: { sendNotice: away }, notices: { addNotice: away } });
    await webhooks.clock.advance(hour);
    await webhooks.replica().round();
    await failRenewal();
    await afterDays();
    await tell();
    expect([webhooks.notices, webhooks.added]).toEqual([[accountId], [expect.objectContaining({ accountId })]]);
  });

  test('and is deleted before it could be told is not told', async () => {
    await failRenewal();
    await webhooks.client.deleteSubscription({ accountId, id });
    await tell();
    expect([webhooks.notices, webhooks.added]).toEqual([[], []]);
  });
});

test.each([
  { name: 'is told of a subscription whose agent is gone by a notice', error: 'It is gone.', told: 1 },
  { name: 'is not told any more when it has another agent', error: null, told: 0 },
])('an owner $name', async ({ error, told }) => {
  const { db, jobs } = webhooks.context;
  const reason = 'It is gone.';
  await updateAgentError(db, { accountId, id, agentId: 7, error });
  const payload = { accountId, mailbox: 'ada@contoso.example', reason, isOfAgent: true };
  await jobs.add(db, tellOwner, [{ payload: { ...payload, fact: { subscriptionId: id } } }]);
  await tell();
  expect([webhooks.notices.length, webhooks.added.length]).toEqual([0, told]);
});

test.each([
  { name: 'a failing mailbox, by a notice and a mail', isOfAgent: false, told: [1, 1], body: /^A subscription/ },
  { name: 'a subscription without its agent, by a notice', isOfAgent: true, told: [0, 1], body: /^It is so\.$/ },
])('a job of version 0.1.0 tells the owner of $name', async ({ isOfAgent, told, body }) => {
  const { db, jobs } = webhooks.context;
  const payload = { accountId, mailbox: 'ada@contoso.example', reason: 'It is so.', ...(isOfAgent && { isOfAgent }) };
  await jobs.add(db, { ...tellOwner, read: () => payload as Failing }, [{ payload: payload as Failing }]);
  await tell();
  expect([webhooks.notices.length, webhooks.added.length]).toEqual(told);
  expect(webhooks.added).toMatchObject([{ body: expect.stringMatching(body) }]);
});
