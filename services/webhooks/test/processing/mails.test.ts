import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notifyGmail, notifyGraph, openProcessing, type OpenProcessing, subscribe } from './open-processing.ts';

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
afterAll(() => at[Symbol.asyncDispose]());

const logsOf = async (accountId: string) => (await at.logs.listLogs({ accountId, limit: 200 })).logs;
const runsOf = (accountId: string) => at.siblings.runs.filter((run) => run.accountId === accountId);
const text = (message = '') => message.replace(/^Text between .*\n\n/, '').replace(/<\/?mail-[0-9a-f]{16}>/g, '');

describe('a mail at Microsoft', () => {
  test('runs the agent once with the rendered message, and its log has the answer', async () => {
    const template =
      'From ${sender} ({{ sender_email }}): $subject / {{ body }} / {{ provider }} {{ change_type }} {{ mailbox }}';
    const { accountId, address, subscriptionId } = await subscribe(at, { provider: 'microsoft', template });
    const from = { name: 'Bob', address: 'bob@example.com' };
    const mail = at.microsoft.addMail(address, { subject: 'Hi {{ body }}', html: '<p>Two <b>words</b></p>', from });
    await notifyGraph(at, address, [mail.immutableId, mail.immutableId]);
    await notifyGraph(at, address, [mail.immutableId]);
    await at.settle();
    const [run, ...others] = runsOf(accountId);
    expect(others).toEqual([]);
    expect(text(run?.message)).toBe(
      `From Bob <bob@example.com> (bob@example.com): Hi {{ body }} / Two words / vendor created ${address}`,
    );
    const [log] = await logsOf(accountId);
    expect(log).toMatchObject({
      subscriptionId,
      agentId: 7,
      status: 'success',
      triggerEvent: 'created',
      emailSubject: 'Hi {{ body }}',
      emailSender: 'Bob <bob@example.com>',
      agentMessage: run?.message,
      agentResponse: `done: ${run?.message}`,
      durationMs: 0n,
    });
    expect(run).toMatchObject({
      appName: 'agent7',
      userId: `${accountId}@users.example`,
      sessionId: `webhook_${log?.id}`,
    });
    const { html } = await at.logs.getLogBody({ accountId, logId: log?.id ?? 0 });
    expect(html).toBe('<pre style="white-space:pre-wrap">Two words</pre>');
  });

  test('that cannot be found yet is tried again for half a minute, and then skipped', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
    const mail = at.microsoft.addMail(address);
    await notifyGraph(at, address, [mail.immutableId, 'never']);
    at.microsoft.deleteMail(address, mail);
    await at.settle();
    expect((await logsOf(accountId)).map(({ status }) => status)).toEqual(['retrying', 'retrying']);
    at.microsoft.world.mailboxOf(address).mails.push(mail);
    for (const seconds of [5, 10, 15]) await at.advance(seconds);
    const logs = await logsOf(accountId);
    expect(logs.map(({ status }) => status)).toEqual(['skipped', 'success']);
    expect(logs[0]?.errorMessage).toBe('The mail was not found at the provider.');
  });

  test('whose body is HTML though text was asked for runs the agent with its text', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'microsoft', template: '{{ body }}' });
    const mail = at.microsoft.addMail(address);
    const body = { contentType: 'html', content: '<p>Two <b>words</b></p>' };
    at.microsoft.graph.fault({
      path: /messages/,
      action: { status: 200, body: { id: mail.immutableId, subject: 's', body } },
    });
    await notifyGraph(at, address, [mail.immutableId]);
    await at.settle();
    expect(text(runsOf(accountId)[0]?.message)).toBe('Two words');
  });

  test('that was deleted runs the agent of a subscription to deletions, with what the notification says', async () => {
    const template = '$change_type $message_id [$subject]';
    const { accountId, address } = await subscribe(at, {
      provider: 'microsoft',
      changeType: 'created,deleted',
      template,
    });
    await notifyGraph(at, address, ['gone'], 'deleted');
    await at.settle();
    expect(text(runsOf(accountId)[0]?.message)).toBe('deleted gone [(no subject)]');
  });

  test('whose notification never came is found by the hourly look, also when the delta cursor is dead', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
    at.microsoft.addMail(address, { subject: 'one' });
    await at.advance(3_600);
    expect(runsOf(accountId)).toHaveLength(1);
    at.microsoft.addMail(address, { subject: 'two' });
    await at.advance(3_600);
    at.microsoft.addMail(address, { subject: 'three' });
    at.microsoft.killDeltaCursors();
    await at.advance(3_700);
    expect((await logsOf(accountId)).map(({ emailSubject, status }) => `${emailSubject} ${status}`)).toEqual([
      'three success',
      'two success',
      'one success',
    ]);
  });

  test('waits as long as the provider says when it takes no more, and other accounts do not wait', async () => {
    const [slow, other] = [
      await subscribe(at, { provider: 'microsoft' }),
      await subscribe(at, { provider: 'microsoft' }),
    ];
    const ids = [1, 2, 3, 4].map(() => at.microsoft.addMail(slow.address).immutableId);
    const mail = at.microsoft.addMail(other.address);
    const before = at.microsoft.graph.calls.length;
    at.microsoft.graph.fault({
      method: 'GET',
      path: /\/messages\//,
      times: 3,
      action: { status: 429, headers: { 'retry-after': '100' }, body: { error: { code: 'ApplicationThrottled' } } },
    });
    await notifyGraph(at, slow.address, ids);
    await at.settle();
    expect(at.microsoft.graph.calls.length - before).toBe(3);
    await notifyGraph(at, other.address, [mail.immutableId]);
    await at.settle();
    expect(runsOf(other.accountId)).toHaveLength(1);
    expect(runsOf(slow.accountId)).toHaveLength(0);
    await at.advance(99);
    expect(runsOf(slow.accountId)).toHaveLength(0);
    await at.advance(10);
    expect(runsOf(slow.accountId)).toHaveLength(4);
  });

  test('is fetched with at most three calls at a time for a mailbox', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'microsoft' });
    const mails = Array.from({ length: 40 }, () => at.microsoft.addMail(address));
    // The fake answers a fifth call at a time with an error.
    await notifyGraph(
      at,
      address,
      mails.map(({ immutableId }) => immutableId),
    );
    await at.settle();
    expect(runsOf(accountId)).toHaveLength(40);
    expect((await logsOf(accountId)).every(({ status }) => status === 'success')).toBe(true);
  });
});

describe('a mail at Gmail', () => {
  test('that is changed or deleted runs the agents that want it, also when no push came', async () => {
    const wanted = { provider: 'google', changeType: 'updated,deleted', template: '$change_type $subject' } as const;
    const { accountId, address } = await subscribe(at, wanted);
    const mail = at.google.addMail(address, { subject: 'bill' });
    at.google.addLabel(address, mail, 'STARRED');
    await at.advance(3_600);
    at.google.deleteMail(address, mail);
    await notifyGmail(at, address);
    await at.settle();
    expect(runsOf(accountId).map(({ message }) => text(message))).toEqual(['updated bill', 'deleted (no subject)']);
  });

  test('that the mailbox has sent by another address runs nothing, also when it is found in a list', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'google', resource: 'ALL' });
    at.google.addMail(address, { subject: 'sent', from: { address: 'alias@example.com' } }, ['SENT']);
    at.google.trimHistory(address);
    at.google.addMail(address, { subject: 'came' });
    await notifyGmail(at, address);
    await at.settle();
    const outcomes = (await logsOf(accountId)).map((log) => `${log.emailSubject} ${log.status}`);
    expect(outcomes.toSorted()).toEqual(['came success', 'sent skipped']);
  });

  test('runs the agent of each subscription whose label it has, once, whatever pushes arrive', async () => {
    const inbox = await subscribe(at, { provider: 'google', template: 'inbox $subject $body' });
    const { accountId, address, watchId } = inbox;
    const label = { account_id: accountId, watch_id: watchId };
    await at.db.query(
      {
        text: `insert into subscriptions (account_id, watch_id, provider_name, resource, change_type, agent_id,
          agent_message_template, state, active_since, created_at)
          select account_id, watch_id, provider_name, r.resource, change_type, 8, r.resource || ' $subject', 'active', active_since,
            created_at from subscriptions, (values ('STARRED'), ('ALL')) as r (resource) where account_id = $1 and watch_id = $2`,
      },
      [label.account_id, label.watch_id],
    );
    at.google.addMail(address, { subject: 'one', text: 'plain', html: '<b>rich</b>' });
    at.google.addMail(address, { subject: 'two' }, ['INBOX', 'STARRED']);
    at.google.addMail(address, { subject: 'draft' }, ['DRAFT', 'INBOX']);
    at.google.addMail(address, { subject: 'sent' }, ['SENT']);
    await Promise.all([1, 2, 3].map(() => notifyGmail(at, address)));
    await at.settle();
    await notifyGmail(at, address, '1');
    await notifyGmail(at, address);
    await at.settle();
    expect(
      runsOf(accountId)
        .map(({ message }) => text(message).trim().replaceAll('\n', ' '))
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(['ALL one', 'ALL two', 'STARRED two', 'inbox one plain', 'inbox two']);
  });

  test('with an old date runs the agent when the history says that it is new', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'google', template: '$subject' });
    at.google.addMail(address, { subject: 'imported', receivedAt: new Date('2023-01-01T00:00:00Z') });
    await notifyGmail(at, address);
    await at.settle();
    expect(runsOf(accountId).map(({ message }) => text(message))).toEqual(['imported']);
  });

  test('is found in a history without labels and without its own id', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'google', template: '$subject' });
    const { id } = at.google.addMail(address, { subject: 'bare' });
    const history = [{ id: '900', messagesAdded: [{ message: { id, threadId: id } }] }];
    at.google.gmail.fault({ path: /history/, action: { status: 200, body: { history } } });
    await notifyGmail(at, address);
    await at.settle();
    expect(runsOf(accountId).map(({ message }) => text(message))).toEqual(['bare']);
  });

  test('is found in a history of many pages', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'google' });
    for (let n = 0; n < 25; n += 1) at.google.addMail(address);
    at.google.gmail.fault({ method: 'GET', path: /history/, action: 'drop' });
    await notifyGmail(at, address);
    await at.settle();
    expect(runsOf(accountId)).toHaveLength(0);
    await at.advance(6);
    expect(runsOf(accountId)).toHaveLength(25);
  });

  test('whose push never came is found by the hourly look, also when the history is forgotten', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'google' });
    at.google.addMail(address, { subject: 'one' });
    await at.advance(3_601);
    expect(runsOf(accountId)).toHaveLength(1);
    at.google.addMail(address, { subject: 'two' });
    at.google.trimHistory(address);
    await at.advance(3_601);
    at.google.addMail(address, { subject: 'three' });
    await notifyGmail(at, address);
    await at.settle();
    expect((await logsOf(accountId)).map(({ emailSubject, status }) => `${emailSubject} ${status}`)).toEqual([
      'three success',
      'two success',
      'one success',
    ]);
  });

  test('that was deleted meanwhile is skipped', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'google' });
    const mail = at.google.addMail(address);
    at.google.deleteMail(address, mail);
    await notifyGmail(at, address);
    await at.settle();
    for (const seconds of [6, 11, 16]) await at.advance(seconds);
    expect((await logsOf(accountId)).map(({ status }) => status)).toEqual(['skipped']);
  });
});

test.each(['microsoft', 'google'] as const)(
  'an answer that is no mail is no answer: the mail is read again (%s)',
  async (provider) => {
    const { accountId, address } = await subscribe(at, { provider, template: '$subject' });
    const fake = provider === 'google' ? at.google : at.microsoft;
    const api = provider === 'google' ? at.google.gmail : at.microsoft.graph;
    const mail = fake.addMail(address, { subject: 'Hello' });
    for (const body of ['<html>', 'null', '{}']) {
      api.fault({ path: /\/messages\/[^/]+$/, action: { status: 200, body } });
    }
    await ('immutableId' in mail ? notifyGraph(at, address, [mail.immutableId]) : notifyGmail(at, address));
    await at.settle();
    expect((await logsOf(accountId)).map(({ status }) => status)).toEqual(['retrying']);
    for (const seconds of [5, 30, 120]) await at.advance(seconds);
    expect(runsOf(accountId).map(({ message }) => text(message))).toEqual(['Hello']);
  },
);

test.each(['microsoft', 'google'] as const)(
  'mail from before the subscription runs nothing, also when the first look or a lost history finds it (%s)',
  async (provider) => {
    const accountId = randomUUID();
    const fake = provider === 'google' ? at.google : at.microsoft;
    const address = `${accountId}@mail.example`;
    fake.addUser(address);
    fake.addMail(address, { subject: 'before' });
    await at.clock.advance(3_000);
    await subscribe(at, { provider, accountId });
    fake.addMail(address, { subject: 'after' });
    if (provider === 'google') at.google.trimHistory(address);
    await at.advance(3_600);
    expect((await logsOf(accountId)).map(({ emailSubject }) => emailSubject)).toEqual(['after']);
  },
);
