import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MeshError } from '@agentmesh/lib/rpc';
import { tellOwner } from '../../src/mail/tell-owner.ts';
import { notifyGmail, notifyGraph, openProcessing, type OpenProcessing, subscribe } from './open-processing.ts';

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
beforeEach(() => {
  at.siblings.decide = () => 'completed';
  at.siblings.announces = true;
});
afterAll(() => at[Symbol.asyncDispose]());

const logsOf = async (accountId: string) => (await at.logs.listLogs({ accountId, limit: 200 })).logs;
const runsOf = (accountId: string) => at.siblings.runs.filter((run) => run.accountId === accountId);

describe('a run', () => {
  const notifyOne = async (
    options: { allowedSenders?: string[]; requireAuthentication?: boolean } = {},
    mail: object = {},
  ) => {
    const subscription = await subscribe(at, { provider: 'microsoft', ...options });
    const added = at.microsoft.addMail(subscription.address, mail);
    await notifyGraph(at, subscription.address, [added.immutableId]);
    await at.settle();
    return subscription;
  };

  test('that fails is tried again after growing pauses, in the same session, until one succeeds', async () => {
    at.siblings.decide = () => 'MODEL_UNREACHABLE';
    const { accountId } = await notifyOne();
    for (const [count, seconds] of [
      [1, 5],
      [2, 30],
      [3, 120],
      [4, 600],
    ] as const) {
      expect(runsOf(accountId)).toHaveLength(count);
      expect(await logsOf(accountId)).toMatchObject([{ status: 'retrying', errorMessage: 'It failed.' }]);
      await at.advance(seconds - 1);
      expect(runsOf(accountId)).toHaveLength(count);
      await at.advance(1);
    }
    at.siblings.decide = () => 'completed';
    await at.advance(600);
    expect(new Set(runsOf(accountId).map(({ sessionId }) => sessionId)).size).toBe(1);
    const [log] = await logsOf(accountId);
    expect(log).toMatchObject({ status: 'success' });
    expect(log?.errorMessage).toBeUndefined();
  });

  test('that fails eight times is given up', async () => {
    at.siblings.decide = () => 'UNAVAILABLE';
    const { accountId } = await notifyOne();
    for (let n = 0; n < 12; n += 1) await at.advance(600);
    expect(runsOf(accountId)).toHaveLength(8);
    expect(await logsOf(accountId)).toMatchObject([{ status: 'error', errorMessage: 'It failed.' }]);
  });

  test.each(['UNAVAILABLE', 'RESOURCE_EXHAUSTED'])(
    'that called tools before it failed with %s is not made again by itself',
    async (code) => {
      at.siblings.decide = (run) => {
        run.toolCalls = 2;
        return code;
      };
      const { accountId } = await notifyOne();
      await at.advance(90_000);
      expect(runsOf(accountId)).toHaveLength(1);
      const [log] = await logsOf(accountId);
      expect(log).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('had called tools') });
    },
  );

  test('that cannot succeed is not tried again', async () => {
    at.siblings.decide = () => 'UNAUTHENTICATED';
    const { accountId } = await notifyOne();
    await at.advance(3_000);
    expect(runsOf(accountId)).toHaveLength(1);
    expect(await logsOf(accountId)).toMatchObject([{ status: 'error' }]);
  });

  test('whose agent was deleted is shown in the subscription, and its owner is told once', async () => {
    at.siblings.decide = () => {
      throw new MeshError('not_found', 'app_not_found', "No root_agent found for 'agent7'.");
    };
    const { accountId, address } = await notifyOne();
    await notifyGraph(at, address, [at.microsoft.addMail(address).immutableId]);
    await at.settle();
    expect((await logsOf(accountId)).map(({ status }) => status)).toEqual(['error', 'error']);
    const told: unknown[] = [];
    await at.processor.jobs.drain(tellOwner, async (notice) => void told.push(notice));
    expect(told).toMatchObject([
      { accountId, mailbox: address, fact: { subscriptionId: expect.any(Number) }, isOfAgent: true },
    ]);
    const errors = () =>
      at.db.query({ text: 'select agent_error from subscriptions where account_id = $1' }, [accountId]);
    expect(await errors()).toEqual([{ agent_error: expect.stringMatching(/^The agent 7 does not exist/) }]);
    at.siblings.decide = () => 'completed';
    await notifyGraph(at, address, [at.microsoft.addMail(address).immutableId]);
    await at.settle();
    expect(await errors()).toEqual([{ agent_error: null }]);
  });

  test('whose model takes no more waits, and does not use up its attempts', async () => {
    at.siblings.decide = () => 'RESOURCE_EXHAUSTED';
    const { accountId } = await notifyOne();
    for (let n = 0; n < 10; n += 1) await at.advance(64);
    expect(runsOf(accountId)).toHaveLength(11);
    at.siblings.decide = () => 'completed';
    await at.advance(64);
    expect(await logsOf(accountId)).toMatchObject([{ status: 'success' }]);
  });

  test('waits as long as its model says, with the other mails of its agent, while other accounts go on', async () => {
    const limited = await subscribe(at, { provider: 'microsoft' });
    at.siblings.retryAfterSeconds = 300;
    at.siblings.decide = ({ accountId }) => (accountId === limited.accountId ? 'RESOURCE_EXHAUSTED' : 'completed');
    const ids = Array.from({ length: 40 }, () => at.microsoft.addMail(limited.address).immutableId);
    await notifyGraph(at, limited.address, ids);
    await at.settle();
    const refused = runsOf(limited.accountId).length;
    expect(refused).toBeLessThanOrEqual(12);
    const other = await notifyOne();
    expect(await logsOf(other.accountId)).toMatchObject([{ status: 'success' }]);
    await at.advance(299);
    expect(runsOf(limited.accountId)).toHaveLength(refused);
    at.siblings.decide = () => 'completed';
    at.siblings.retryAfterSeconds = undefined;
    await at.advance(17);
    for (let n = 0; n < 4; n += 1) await at.advance(31);
    expect((await logsOf(limited.accountId)).every(({ status }) => status === 'success')).toBe(true);
    expect(runsOf(limited.accountId)).toHaveLength(40 + refused);
  });

  test('whose end nobody announces is found in the ledger', async () => {
    at.siblings.announces = false;
    at.siblings.decide = () => 'hangs';
    const { accountId } = await notifyOne();
    expect(await logsOf(accountId)).toMatchObject([{ status: 'in_progress' }]);
    for (const run of runsOf(accountId)) await at.siblings.end(run, 'completed');
    await at.advance(31);
    expect(await logsOf(accountId)).toMatchObject([{ status: 'success' }]);
  });

  test('whose model hangs holds up nobody else, and its mailbox has at most ten of them', async () => {
    const hanging = await subscribe(at, { provider: 'microsoft' });
    at.siblings.decide = ({ accountId }) => (accountId === hanging.accountId ? 'hangs' : 'completed');
    const ids = Array.from({ length: 15 }, () => at.microsoft.addMail(hanging.address).immutableId);
    await notifyGraph(at, hanging.address, ids);
    await at.settle();
    const other = await notifyOne();
    expect(await logsOf(other.accountId)).toMatchObject([{ status: 'success' }]);
    expect(runsOf(hanging.accountId)).toHaveLength(10);
    for (const run of runsOf(hanging.accountId).slice(0, 3)) await at.siblings.end(run, 'completed');
    await expect
      .poll(async () => {
        await at.settle();
        return runsOf(hanging.accountId).length;
      })
      .toBe(13);
  });

  test.each([
    ['a sender who is not allowed', { allowedSenders: ['example.net'] }, {}, 'its sender is not allowed'],
    ['a sender who is not authenticated', { requireAuthentication: true }, {}, 'has not authenticated its sender'],
    ['an automatic reply', {}, { headers: { 'Auto-Submitted': 'auto-replied' } }, 'the mail is automatic'],
  ])('is not started for %s', async (_, options, mail, reason) => {
    const { accountId } = await notifyOne(options, { from: { address: 'bob@example.org' }, ...mail });
    expect(runsOf(accountId)).toEqual([]);
    const [log] = await logsOf(accountId);
    expect(log).toMatchObject({ status: 'skipped', emailSubject: 'A question' });
    expect(log?.errorMessage).toContain(reason);
  });

  test('is started for a sender who is allowed and authenticated', async () => {
    const headers = {
      'Authentication-Results': 'spf=pass smtp.mailfrom=example.org; dmarc=pass header.from=example.org',
    };
    const options = { allowedSenders: ['@example.org'], requireAuthentication: true };
    const { accountId } = await notifyOne(options, { from: { address: 'bob@example.org' }, headers });
    expect(runsOf(accountId)).toHaveLength(1);
  });
});

describe('a log', () => {
  test('that has ended is triggered again with the present template, and one that is under way is not', async () => {
    const { accountId, address, subscriptionId } = await subscribe(at, { provider: 'microsoft', template: 'old' });
    const mail = at.microsoft.addMail(address);
    await notifyGraph(at, address, [mail.immutableId]);
    const [pending] = await logsOf(accountId);
    const logId = pending?.id ?? 0;
    const running = { code: 'failed_precondition', reason: 'already_running_or_queued' };
    await expect(at.logs.retriggerLog({ accountId, logId })).rejects.toMatchObject(running);
    await at.settle();
    await at.db.query({ text: `update subscriptions set agent_message_template = 'new', agent_id = 9 where id = $1` }, [
      subscriptionId,
    ]);
    await at.logs.retriggerLog({ accountId, logId });
    expect(await logsOf(accountId)).toMatchObject([{ status: 'pending' }]);
    await at.settle();
    expect(runsOf(accountId).map(({ message, appName }) => `${appName} ${message}`)).toEqual([
      'agent7 old',
      'agent9 new',
    ]);
    await at.logs.retriggerLogs({ accountId, statuses: ['success'] });
    await at.settle();
    expect(runsOf(accountId)).toHaveLength(3);
    await at.db.query({ text: `update subscriptions set state = 'disabled' where id = $1` }, [subscriptionId]);
    const inactive = { code: 'failed_precondition', reason: 'subscription_inactive' };
    await expect(at.logs.retriggerLog({ accountId, logId })).rejects.toMatchObject(inactive);
    expect(await at.logs.retriggerLogs({ accountId, logIds: [logId, 2_000_000] })).toMatchObject({
      logIds: [],
      skippedIds: [logId, 2_000_000],
    });
  });

  test('whose mail is gone is triggered again with its former message, unless its sender is no longer allowed', async () => {
    const { accountId, address, subscriptionId } = await subscribe(at, { provider: 'google', template: '$subject' });
    const mail = at.google.addMail(address, { subject: 'Hello' });
    await notifyGmail(at, address);
    await at.settle();
    at.google.deleteMail(address, mail);
    const [first] = await logsOf(accountId);
    const { id: logId, agentMessage } = first ?? expect.fail('there is no log');
    const trigger = async () => {
      await at.logs.retriggerLog({ accountId, logId });
      expect(await logsOf(accountId)).toMatchObject([{ status: 'pending', agentResponse: `done: ${agentMessage}` }]);
      await at.settle();
      for (const seconds of [5, 10, 15]) await at.advance(seconds);
    };
    for (const runs of [2, 3]) {
      await trigger();
      expect(await logsOf(accountId)).toMatchObject([{ status: 'success', agentMessage }]);
      expect(runsOf(accountId)).toHaveLength(runs);
    }
    const text = `update subscriptions set allowed_senders = '{@example.net}' where id = $1`;
    await at.db.query({ text }, [subscriptionId]);
    await trigger();
    expect(await logsOf(accountId)).toMatchObject([{ status: 'skipped', agentMessage }]);
    expect(runsOf(accountId)).toHaveLength(3);
  });

  test('is found by each filter, newest first, with the number of all', async () => {
    const { accountId, address, subscriptionId } = await subscribe(at, { provider: 'microsoft' });
    const ids = ['50% off', '50 off', 'other'].map((subject) => at.microsoft.addMail(address, { subject }).immutableId);
    await notifyGraph(at, address, ids);
    await at.settle();
    const subjects = async (filter: object) => {
      const { logs, total } = await at.logs.listLogs({ accountId, ...filter });
      return [
        logs
          .map(({ emailSubject }) => emailSubject)
          .toSorted((a = '', b = '') => (a < b ? -1 : 1))
          .join(),
        Number(total),
      ];
    };
    expect(await subjects({})).toEqual(['50 off,50% off,other', 3]);
    expect(await subjects({ query: '50% O' })).toEqual(['50% off', 1]);
    expect(await subjects({ limit: 1 })).toEqual([expect.any(String), 3]);
    expect(await subjects({ offset: 3 })).toEqual(['', 3]);
    expect(await subjects({ statuses: ['error', 'retrying'] })).toEqual(['', 0]);
    expect(await subjects({ subscriptionId, agentId: 7, statuses: ['success'] })).toEqual(['50 off,50% off,other', 3]);
    expect(await subjects({ subscriptionId: subscriptionId + 1_000 })).toEqual(['', 0]);
    const now = at.clock.now().getTime() / 1000;
    expect(await subjects({ since: now - 1, until: now + 1 })).toEqual(['50 off,50% off,other', 3]);
    expect(await subjects({ until: now - 1 })).toEqual(['', 0]);
    for (const filter of [
      { limit: 201 },
      { limit: -1 },
      { offset: -1 },
      { statuses: ['x'] },
      { since: Number.NaN },
      { query: '\0' },
    ]) {
      await expect(at.logs.listLogs({ accountId, ...filter })).rejects.toMatchObject({ reason: 'request_invalid' });
    }
  });

  test('of another account does not exist', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
    await notifyGraph(at, address, [at.microsoft.addMail(address).immutableId]);
    await at.settle();
    const [log] = await logsOf(accountId);
    const other = { accountId: '00000000-0000-4000-8000-000000000000', logId: log?.id ?? 0 };
    const missing = { code: 'not_found', reason: 'log_not_found' };
    for (const call of [at.logs.getLog, at.logs.getLogBody, at.logs.retriggerLog]) {
      await expect(call(other)).rejects.toMatchObject(missing);
    }
    expect((await at.logs.listLogs({ accountId: other.accountId })).total).toBe(0n);
  });
});
