import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ProviderError } from '../../src/mail/provider/provider-error.ts';
import { updateActiveSince } from '../../src/store/subscriptions.ts';
import { updateWatchRegistered } from '../../src/store/watches/watch-outcomes.ts';
import { detachWatches } from '../../src/store/watches/watch-plans.ts';
import { notifyGmail, openProcessing, type OpenProcessing, subscribe } from './open-processing.ts';

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
afterAll(() => at[Symbol.asyncDispose]());

const runsOf = (accountId: string) => at.siblings.runs.filter((run) => run.accountId === accountId);

/** Does something after the next answer of Gmail, before its caller has it. */
function duringNextCall(meanwhile: () => Promise<unknown>): void {
  const call = at.clients.google.call.bind(at.clients.google);
  vi.spyOn(at.clients.google, 'call').mockImplementationOnce(async (...args) => {
    const answer = await call(...args);
    await meanwhile();
    return answer;
  });
}

test('a push that arrives while a look fails is looked at at once, not when that look is tried again', async () => {
  const { accountId, address } = await subscribe(at, { provider: 'google' });
  duringNextCall(async () => {
    at.google.addMail(address);
    await notifyGmail(at, address);
    throw new ProviderError({ kind: 'reconnect' });
  });
  await at.advance(3_600);
  expect(runsOf(accountId)).toHaveLength(1);
});

test('a look during which the mail account is disconnected leaves no place from which changes until it is connected again would be found', async () => {
  const { accountId, address, watchId } = await subscribe(at, { provider: 'google', changeType: 'deleted' });
  const { db, clock, google } = at;
  const now = clock.now();
  await db.query({ text: 'update watches set expires_at = $1 where id = $2' }, [now, watchId]);
  const mail = google.addMail(address);
  duringNextCall(() => detachWatches(db, { accountId, integrationId: 1n, now, lastError: 'disconnected' }));
  await at.advance(3_600);
  google.deleteMail(address, mail);
  await register({ accountId, id: watchId }, address);
  await at.advance(3_600);
  expect(runsOf(accountId)).toEqual([]);
});

test('a mail whose subscription is disabled while it is fetched runs no agent', async () => {
  const { accountId, address, subscriptionId } = await subscribe(at, { provider: 'google' });
  at.google.addMail(address);
  const disable = { text: `update subscriptions set state = 'disabled' where id = $1` };
  duringNextCall(async () => duringNextCall(() => at.db.query(disable, [subscriptionId])));
  await notifyGmail(at, address);
  await at.settle();
  expect(runsOf(accountId)).toEqual([]);
  const statuses = { text: 'select status, error_message from logs where account_id = $1' };
  const skipped = { status: 'skipped', error_message: 'The mail was skipped: the subscription was disabled.' };
  expect(await at.db.query(statuses, [accountId])).toEqual([skipped]);
});

/** Registers a watch as upkeep does when its mail account is connected again. */
async function register(key: { accountId: string; id: bigint }, address: string): Promise<void> {
  const { db, clock, google } = at;
  const now = clock.now();
  const claim = 'f3b9c9c6-3a9e-4cf5-8d6b-0b3a40c41f00';
  await db.query({ text: 'update watches set claim = $1 where id = $2' }, [claim, key.id]);
  const cursor = String(google.world.mailboxOf(address).historyId);
  const registration = { expiresAt: new Date(now.getTime() + 86_400_000), providerId: null, labels: [], cursor };
  await db.transaction(async (tx) => {
    await updateActiveSince(tx, { accountId: key.accountId, watchId: key.id, claim, now });
    await updateWatchRegistered(tx, { ...key, ...registration, claim, claimedAttemptAt: null, now, catchUpFrom: null });
  });
}
