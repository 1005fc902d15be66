import { answerDeletions, type CountErased, type HintHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountSubscriptions } from '../store/subscriptions.ts';
import { deleteAccountWatches } from '../store/watches.ts';

/** Erases the data of a deleted account, and confirms to auth how much there was. */
export function onAccountDeleted(context: Context): HintHandler<typeof AccountDeletedSchema> {
  const { db, bus, log } = context;
  return answerDeletions({ db, bus, log, service: 'webhooks', erase: (id, count) => erase(context, id, count) });
}

async function erase({ db }: Context, id: string, count: CountErased): Promise<void> {
  const accountId = checkAccountId(id);
  await db.transaction(async (tx) => {
    const subscriptions = await deleteAccountSubscriptions(tx, accountId);
    await count(tx, { subscriptions, watches: await deleteAccountWatches(tx, accountId) });
  });
}
