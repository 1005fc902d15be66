import { answerDeletions, type CountErased, type ConsumeHandler } from '@agentmesh/lib/bus';
import { deleteAccountKeys } from '@agentmesh/lib/idempotency';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../mail/context.ts';
import { endRegistrations } from '../mail/watches/end-registrations.ts';
import { deleteAccountLogs, deleteAccountMailboxes } from '../store/erasure.ts';
import { deleteAccountDeliveries } from '../store/deliveries.ts';
import { deleteAccountRunWebhooks } from '../store/run-webhooks.ts';
import { deleteAccountSchedules } from '../store/schedules.ts';
import { deleteAccountSubscriptions } from '../store/subscriptions.ts';
import { deleteAccountWatches } from '../store/watches/watches.ts';

/** Erases the data of a deleted account, and confirms to auth how much there was. */
export function onAccountDeleted(context: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  const { db, auth, log } = context;
  return answerDeletions({ db, auth, log, service: 'webhooks', erase: (id, count) => erase(context, id, count) });
}

async function erase(context: Context, id: string, count: CountErased): Promise<void> {
  const { db, jobs } = context;
  const accountId = checkAccountId(id);
  await endRegistrations(context, accountId);
  await db.forLongWork().transaction(async (tx) => {
    await jobs.remove(tx, { accountId });
    await deleteAccountKeys(tx, accountId);
    const mailboxes = await deleteAccountMailboxes(tx, accountId);
    const logs = await deleteAccountLogs(tx, accountId);
    const subscriptions = await deleteAccountSubscriptions(tx, accountId);
    const deliveries = await deleteAccountDeliveries(tx, accountId);
    await count(tx, { schedules: await deleteAccountSchedules(tx, accountId) });
    await count(tx, { deliveries, run_webhooks: await deleteAccountRunWebhooks(tx, accountId) });
    await count(tx, { logs, mailboxes, subscriptions, watches: await deleteAccountWatches(tx, accountId) });
  });
}
