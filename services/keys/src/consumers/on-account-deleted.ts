import { setTimeout as pause } from 'node:timers/promises';
import { answerDeletions, type CountErased, type ConsumeHandler } from '@agentmesh/lib/bus';
import { deleteAccountKeys } from '@agentmesh/lib/idempotency';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountRows } from '../store/accounts.ts';
import { selectHasIntegrations } from '../store/integrations.ts';

/** Longest time in milliseconds that tokens are kept for webhooks, which tries for 10 s to end what is registered with them. */
const patienceMs = 15_000;
const pauseMs = 250;
const timeoutMs = 5_000;

/** Erases all data of a deleted account, and confirms to auth how much. */
export function onAccountDeleted({ db, auth, log }: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  const erase = async (accountId: string, count: CountErased): Promise<void> => {
    if (await selectHasIntegrations(db, accountId)) await untilUnsubscribed({ auth }, accountId);
    await db.forLongWork().transaction(async (tx) => {
      await deleteAccountKeys(tx, accountId);
      await count(tx, await deleteAccountRows(tx, accountId));
    });
  };
  return answerDeletions({ db, auth, log, service: 'keys', erase });
}

/** Waits until webhooks has ended the account's subscriptions at the mail providers, for which it needs the tokens. */
async function untilUnsubscribed({ auth }: Pick<Context, 'auth'>, accountId: string): Promise<void> {
  const endsAt = performance.now() + patienceMs;
  while (performance.now() < endsAt) {
    const { confirmed } = await auth.checkErasure({ accountId }, { timeoutMs });
    if (confirmed.includes('webhooks')) return;
    await pause(pauseMs);
  }
}
