import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireLogs } from '../../src/jobs/expire-logs.ts';
import { notifyGmail, openProcessing, type OpenProcessing, subscribe } from './open-processing.ts';

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
afterAll(() => at[Symbol.asyncDispose]());

const runsOf = (accountId: string) => at.siblings.runs.filter((run) => run.accountId === accountId);
const text = (message = '') => message.replace(/^Text between .*\n\n/, '').replace(/<\/?mail-[0-9a-f]{16}>/g, '');

describe('a mail at Microsoft', () => {
  test('that is changed or deleted runs the agents that want it, also when no notification came, and nothing from before', async () => {
    const { accountId, address } = await subscribe(at, {
      provider: 'microsoft',
      changeType: 'created,updated,deleted',
      template: '$change_type',
    });
    const former = at.microsoft.addMail(address, { receivedAt: new Date('2026-11-01T00:00:00Z') });
    at.microsoft.updateMail(address, former);
    await at.advance(3_600);
    const messages = () => runsOf(accountId).map(({ message }) => text(message));
    expect(messages()).toEqual([]);
    at.microsoft.updateMail(address, former);
    const mail = at.microsoft.addMail(address);
    await at.advance(3_600);
    expect(messages().toSorted()).toEqual(['created', 'updated']);
    at.microsoft.updateMail(address, former);
    at.microsoft.deleteMail(address, mail);
    await at.advance(3_600);
    expect(messages().toSorted()).toEqual(['created', 'deleted', 'updated']);
    at.microsoft.killDeltaCursors();
    at.microsoft.deleteMail(address, former);
    await at.advance(3_600);
    const last = at.microsoft.addMail(address);
    await at.advance(3_600);
    at.microsoft.deleteMail(address, last);
    await at.advance(3_600);
    expect(messages().toSorted()).toEqual(['created', 'created', 'deleted', 'deleted', 'updated']);
  });

  test('of a folder with many mails from before does not wait until their changes can be followed', async () => {
    const { accountId, address } = await subscribe(at, { provider: 'microsoft', changeType: 'created,updated' });
    const receivedAt = new Date('2026-11-01T00:00:00Z');
    const former = Array.from({ length: 2_050 }, () => at.microsoft.addMail(address, { receivedAt }));
    at.microsoft.addMail(address);
    await at.advance(3_600);
    expect(runsOf(accountId)).toHaveLength(1);
    await at.advance(5);
    at.microsoft.updateMail(address, former[7] ?? expect.fail('there is no mail'));
    await at.advance(3_600);
    expect(runsOf(accountId)).toHaveLength(2);
  });
});

test('mail at Gmail is found when the history is forgotten, also when the label of another subscription was deleted', async () => {
  const { accountId, address } = await subscribe(at, { provider: 'google', template: '$subject' });
  const addDeleted = `insert into subscriptions (account_id, watch_id, provider_name, resource, change_type, agent_id, state, active_since, created_at)
    select account_id, watch_id, provider_name, 'Label_9', change_type, 8, 'active', active_since, created_at from subscriptions where account_id = $1`;
  await at.db.query({ text: addDeleted }, [accountId]);
  at.google.addMail(address, { subject: 'missed' });
  at.google.trimHistory(address);
  await at.advance(3_601);
  at.google.addMail(address, { subject: 'new' });
  await at.advance(3_601);
  expect(runsOf(accountId).map(({ message }) => text(message))).toEqual(['missed', 'new']);
});

test('mail whose log was deleted by its age runs nothing again when a mailbox is registered again after a long time', async () => {
  await using kept = await openProcessing({ keepDays: 2 });
  const { accountId, address, watchId } = await subscribe(kept, { provider: 'google', template: '$subject' });
  await kept.clock.advance(3_600_000);
  kept.google.addMail(address, { subject: 'old' });
  await notifyGmail(kept, address);
  await kept.settle();
  await kept.advance(3_600);
  const set = (values: string) => kept.db.query({ text: `update watches set ${values} where id = $1` }, [watchId]);
  await set(`state = 'error'`);
  await kept.clock.advance(9 * 86_400_000);
  await expireLogs(kept.processor);
  kept.google.addMail(address, { subject: 'missed' });
  kept.google.trimHistory(address);
  await set(`state = 'active', catch_up_from = registered_at`);
  await kept.advance(1);
  const runs = kept.siblings.runs.filter((run) => run.accountId === accountId);
  expect(runs.map(({ message }) => text(message))).toEqual(['old', 'missed']);
});

test('mail behind more history than one look reads is found when the rest of the history is forgotten', async () => {
  const { accountId, address } = await subscribe(at, { provider: 'google', template: '$subject' });
  const start = String(at.google.world.mailboxOf(address).historyId);
  for (let number = 0; number < 10_000; number += 1) at.google.addMail(address, {}, ['DRAFT']);
  at.google.addMail(address, { subject: 'last' });
  await at.clock.advance(600_000);
  const forgotten = {
    error: { code: 404, message: 'Requested entity was not found.', errors: [{ reason: 'notFound' }] },
  };
  const when = ({ query }: { readonly query: URLSearchParams }) => query.get('startHistoryId') !== start;
  at.google.gmail.fault({ path: /history/, when, action: 'drop' });
  at.google.gmail.fault({ path: /history/, when, action: { status: 404, body: forgotten } });
  await notifyGmail(at, address);
  await at.settle();
  await at.advance(3_600);
  expect(runsOf(accountId).map(({ message }) => text(message))).toEqual(['last']);
});
