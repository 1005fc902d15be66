import type { Context } from '../context.ts';
import { watchBusy } from '../../errors.ts';
import type { SubscriptionRow } from '../../store/subscriptions.ts';
import { updateWatchRegistered } from '../../store/watches/watch-outcomes.ts';
import { endWatch } from '../../store/watches/watch-plans.ts';
import { insertWatch } from '../../store/watches/watches.ts';
import { checkMailbox } from '../watches/follow-mailbox.ts';
import { holdWatch } from '../watches/hold-watch.ts';

export interface NewRegistration {
  readonly accountId: string;
  readonly row: SubscriptionRow;
  readonly changeType: string;
}

/**
 * Registers a second watch for a subscription that has one of its own, and answers its id. The caller gives it to the subscription; a watch that no
 * subscription gets is ended at the provider. Throws ProviderError.
 */
export async function registerAgain(context: Context, wanted: NewRegistration): Promise<bigint> {
  const { db, clock, mailAccounts, providers } = context;
  const { accountId, row, changeType } = wanted;
  const { provider, resource } = row;
  const token = await mailAccounts.accessToken(provider, { accountId }, { fresh: false });
  checkMailbox(row, token);
  const { accessToken, mailbox, integrationId } = token;
  const [watch] = await insertWatch(db, { accountId, provider, mailbox, integrationId, now: clock.now() });
  if (watch === undefined) throw new Error('No watch was stored.');
  try {
    const isHeld = await holdWatch(context, watch, async (held) => {
      const registration = await providers.of(provider).register(held, { resource, changeType, accessToken });
      const claimed = { accountId, id: held.id, claim: held.claim, claimedAttemptAt: held.next_attempt_at };
      const registered = { ...registration, ...claimed, now: clock.now(), catchUpFrom: null };
      const written = await updateWatchRegistered(db, registered);
      if (written.length === 0) throw watchBusy();
    });
    if (!isHeld) throw watchBusy();
  } catch (error) {
    await endWatch(db, { accountId, id: watch.id, now: clock.now() });
    throw error;
  }
  return watch.id;
}
