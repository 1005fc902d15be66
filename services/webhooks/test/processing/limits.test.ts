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
