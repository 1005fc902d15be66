import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepProcessing } from '../../src/jobs/keep-processing.ts';
import { notifyGmail, notifyGraph, openProcessing, type OpenProcessing, subscribe } from './open-processing.ts';

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
afterAll(() => at[Symbol.asyncDispose]());

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);

test('requests that name the same mails in another order at the same time are all stored, each mail once', async () => {
  const { address, accountId } = await subscribe(at, { provider: 'microsoft' });
  const rounds = 15;
  const mails = 40;
  for (const round of numbers(rounds)) {
    const ids = numbers(mails).map((number) => `mail-${round}-${number}`);
    await Promise.all([ids, ids.toReversed(), ids.toSorted()].map((named) => notifyGraph(at, address, named)));
  }
  const text = 'select count(*)::integer as logs from logs where account_id = $1';
  expect(await at.db.query({ text }, [accountId])).toEqual([{ logs: rounds * mails }]);
});

test('replicas that look for due mailboxes at the same time do not wait for each other', async () => {
  const mailboxes = 120;
  for (const _ of numbers(mailboxes)) await subscribe(at, { provider: 'microsoft' });
  const makeDue = `insert into mailboxes as m (account_id, provider, mailbox, due_at)
    select account_id, provider, mailbox, $1 from watches where true order by random()
    on conflict (account_id, provider, mailbox) do update set due_at = excluded.due_at, job_id = null, job_added_at = null`;
  for (const _ of numbers(8)) {
    await at.db.query({ text: makeDue }, [at.clock.now()]);
    await at.db.query({ text: 'update watches set look_at = $1' }, [at.clock.now()]);
    await Promise.all(numbers(4).map(() => keepProcessing(at.processor)));
    const text = 'select count(*)::integer as idle from mailboxes where job_id is null';
    expect(await at.db.query({ text })).toEqual([{ idle: 0 }]);
  }
});

test('a mail whose sender has an endless address runs its agent, and holds up no other mail', async () => {
  const { address, accountId } = await subscribe(at, { provider: 'microsoft' });
  const endless = { address: `${randomBytes(4_000).toString('hex')}@example.org` };
  const ids = [{ from: endless }, {}].map((mail) => at.microsoft.addMail(address, mail).immutableId);
  await notifyGraph(at, address, ids);
  await at.settle();
  const { logs } = await at.logs.listLogs({ accountId });
  expect(logs.map(({ status }) => status)).toEqual(['success', 'success']);
});

test('a mail that this server cannot process is tried again, given up with an error, and holds up no other mail', async () => {
  const { address, accountId } = await subscribe(at, { provider: 'google' });
  const { id } = at.google.addMail(address, { subject: 'unreadable' });
  const body = { id, labelIds: ['INBOX'], payload: { mimeType: 5 } };
  at.google.gmail.fault({ path: new RegExp(`/messages/${id}$`), action: { status: 200, body }, times: 100 });
  at.google.addMail(address, { subject: 'fine' });
  await notifyGmail(at, address);
  await at.settle();
  const statuses = async () => (await at.logs.listLogs({ accountId })).logs.map(({ status }) => status).toSorted();
  expect(await statuses()).toEqual(['retrying', 'success']);
  for (const seconds of [5, 30, 120, 600, 600, 600, 600]) await at.advance(seconds);
  expect(await statuses()).toEqual(['error', 'success']);
});
