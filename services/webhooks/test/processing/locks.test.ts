import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepProcessing } from '../../src/jobs/keep-processing.ts';
import { notifyGraph, openProcessing, type OpenProcessing, subscribe } from './open-processing.ts';

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
