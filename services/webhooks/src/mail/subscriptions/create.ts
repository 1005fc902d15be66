import { lockKey, type Transaction } from '@agentmesh/lib/pg';
import type { Context } from '../context.ts';
import { subscriptionLimit, watchBusy } from '../../errors.ts';
import type { AccessToken } from '../provider/mail-accounts.ts';
import {
  activateSubscription,
  countSubscriptions,
  deleteCreatingSubscription,
  insertSubscription,
} from '../../store/subscriptions.ts';
import { updateWatchRegistered } from '../../store/watches/watch-outcomes.ts';
import { endWatch } from '../../store/watches/watch-plans.ts';
import { insertWatch, upsertMailboxWatch, type WatchRow } from '../../store/watches/watches.ts';
import { confirmLabels } from '../watches/confirm-labels.ts';
import type { Held } from '../watches/held.ts';
import { holdWatch } from '../watches/hold-watch.ts';
import type { Registration } from '../provider/registrar.ts';
import type { Draft } from './draft.ts';

const mostSubscriptions = 1_000;

/** Input for the creation of a subscription. */
export interface Creation {
  readonly accountId: string;
  readonly draft: Draft;
  readonly token: AccessToken;
  /** Runs the transaction that makes the subscription active. */
  readonly activateIn: (id: number, work: (tx: Transaction) => Promise<void>) => Promise<void>;
}

/**
 * Stores a subscription as `creating`, registers it at the provider, and makes it active; answers its id. Notifications may arrive
 * before the provider answers: they find the stored rows. When a step fails, what was registered is ended at the provider, also
 * when this process dies. Throws ProviderError and `subscription_limit`.
 */
export async function createAtProvider(context: Context, creation: Creation): Promise<number> {
  const { watch, id } = await insertCreating(context, creation);
  let registration: Registration | undefined;
  try {
    const isHeld = await holdWatch(context, watch, async (held) => {
      const { resource, changeType } = creation.draft;
      const wanted = { resource, changeType, accessToken: creation.token.accessToken };
      registration = await context.providers.of(watch.provider).register(held, wanted);
      await creation.activateIn(id, activation(context, { held, id, registration }));
    });
    if (!isHeld) throw watchBusy();
  } catch (error) {
    await abandon(context, { watch, id, registration });
    throw error;
  }
  return id;
}

function insertCreating({ db, clock }: Context, { accountId, draft, token }: Creation) {
  const now = clock.now();
  const { word: provider, servesMailbox } = draft.provider;
  return db.transaction(async (tx) => {
    // The count sees what calls at the same time have stored.
    await lockKey(tx, 'subscriptions', accountId);
    if ((await countSubscriptions(tx, accountId)) >= mostSubscriptions) throw subscriptionLimit(mostSubscriptions);
    const insert = servesMailbox ? upsertMailboxWatch : insertWatch;
    const [watch] = await insert(tx, {
      accountId,
      provider,
      mailbox: token.mailbox,
      integrationId: token.integrationId,
      now,
    });
    if (watch === undefined) throw new Error('No watch was stored.');
    const [subscription] = await insertSubscription(tx, { ...draft, accountId, watchId: watch.id, now });
    if (subscription === undefined) throw new Error('No subscription was stored.');
    return { watch, id: subscription.id };
  });
}

interface Activation {
  readonly held: Held;
  readonly id: number;
  readonly registration: Registration;
}

function activation({ clock }: Context, { held, id, registration }: Activation) {
  const { account_id: accountId, id: watchId, claim } = held;
  const now = clock.now();
  return async (tx: Transaction): Promise<void> => {
    // A Gmail watch that had failed for the mailbox's other subscriptions works again.
    const catchUpFrom = held.state === 'active' ? null : held.registered_at;
    const claimed = { accountId, id: watchId, claim, claimedAttemptAt: held.next_attempt_at };
    const registered = { ...registration, ...claimed, now, catchUpFrom };
    // Subscriptions are locked before their watches everywhere.
    const activated = await activateSubscription(tx, { accountId, id });
    const written = await updateWatchRegistered(tx, registered);
    await confirmLabels(tx, held, { labels: registration.labels, now });
    if (activated.length === 0) throw new Error('The subscription is gone.');
    if (written.length === 0) throw watchBusy();
  };
}

interface Abandoned {
  readonly watch: WatchRow;
  readonly id: number;
  /** Set when the provider has registered it. */
  readonly registration: Registration | undefined;
}

/**
 * Removes a subscription that could not be created; its registration is ended in the background. One whose creation was stored stays: only the answer of
 * the commit was lost. Upkeep removes later what cannot be removed here.
 */
async function abandon({ db, clock, log, wakeUpkeep }: Context, { watch, id, registration }: Abandoned): Promise<void> {
  const { account_id: accountId } = watch;
  const providerId = registration?.providerId ?? null;
  try {
    await db.transaction(async (tx) => {
      await deleteCreatingSubscription(tx, { accountId, id });
      // Does nothing while the subscription is there.
      await endWatch(tx, { accountId, id: watch.id, now: clock.now(), providerId });
    });
    wakeUpkeep();
  } catch (err) {
    log.warn({ err, watchId: watch.id }, 'a failed subscription could not be removed here: upkeep removes it');
  }
}
