import type { Transaction } from '@agentmesh/lib/pg';
import type { Context } from '../context.ts';
import { mailOwner, notRenewed, tellOwner } from '../tell-owner.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { type ActiveSubscriptionRow, selectActiveOfWatch, updateActiveSince } from '../../store/subscriptions.ts';
import { updateWatchFailed, updateWatchIdle, updateWatchRegistered } from '../../store/watches/watch-outcomes.ts';
import { deleteWatch } from '../../store/watches/watches.ts';
import { confirmLabels } from './confirm-labels.ts';
import { failedAttempt, isForOwner } from './failure.ts';
import { finishDisconnect } from './end-disconnected.ts';
import { followMailbox } from './follow-mailbox.ts';
import type { Held } from './held.ts';
import type { Registration } from '../provider/registrar.ts';

/** Makes one attempt at a claimed watch: renews, registers or ends it, and writes the outcome. Throws only when PostgreSQL fails. */
export async function attempt(context: Context, watch: Held): Promise<void> {
  if (watch.state === 'ending') return endHeld(context, watch);
  const { db } = context;
  const [subscription] = await selectActiveOfWatch(db, { accountId: watch.account_id, watchId: watch.id });
  if (subscription === undefined) return updateWatchIdle(db, claimOf(watch));
  try {
    await renewHeld(context, watch, subscription);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    await writeFailure(context, watch, error);
  }
}

/**
 * Renews a claimed watch. When nothing is registered any more, it is registered again, and the mailbox is read from the last
 * success on. Throws ProviderError; the caller writes the failure.
 */
export async function renewHeld(context: Context, watch: Held, wanted: ActiveSubscriptionRow): Promise<void> {
  const { clock, providers } = context;
  if (!mayBeRegistered(watch, clock.now())) return registerHeld(context, watch, wanted);
  try {
    await writeRegistered(context, watch, { ...(await providers.of(watch.provider).renew(watch)), isNew: false });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found' || watch.serves_mailbox) throw error;
    context.log.warn({ watchId: watch.id }, 'the mail provider has forgotten a subscription: it is registered again');
    await registerHeld(context, watch, wanted);
  }
}

/** Credentials that were refused do not end a subscription at Microsoft. */
function mayBeRegistered({ state, provider_id: id, expires_at: expiresAt }: Held, now: Date): boolean {
  return state === 'active' || (state === 'error' && id !== null && expiresAt !== null && expiresAt > now);
}

async function registerHeld(context: Context, watch: Held, wanted: ActiveSubscriptionRow): Promise<void> {
  const { mailAccounts, providers } = context;
  const token = await mailAccounts.accessToken(watch.provider, { accountId: watch.account_id }, { fresh: false });
  const followed = await followMailbox(context, watch, token);
  if (followed === undefined) return;
  const { resource, change_type: changeType } = wanted;
  const { accessToken } = token;
  const registration = await providers.of(watch.provider).register(followed, { resource, changeType, accessToken });
  await writeRegistered(context, watch, { ...registration, isNew: true });
}

/** Writes a success. A registration whose claim was lost belongs to nobody and is ended. */
async function writeRegistered(
  context: Context,
  watch: Held,
  { isNew, ...registration }: Registration & { isNew: boolean },
): Promise<void> {
  const { db, clock, log, providers } = context;
  const now = clock.now();
  const wasDisconnected = watch.error_code === 'disconnected' || watch.error_code === 'other_mailbox';
  const catchUpFrom = isNew && !wasDisconnected ? watch.registered_at : null;
  const written = await db.transaction(async (tx) => {
    const { account_id: accountId, id: watchId, claim } = watch;
    if (wasDisconnected) await updateActiveSince(tx, { accountId, watchId, claim, now });
    const updated = await updateWatchRegistered(tx, { ...claimOf(watch), ...registration, now, catchUpFrom });
    await confirmLabels(tx, watch, { labels: registration.labels, now });
    return updated;
  });
  if (written.length > 0 || watch.serves_mailbox) return;
  log.warn({ watchId: watch.id }, 'a subscription was registered for a watch that is gone: it is ended');
  await providers
    .of(watch.provider)
    .end({ ...watch, provider_id: registration.providerId })
    .catch((err: unknown) => {
      if (!(err instanceof ProviderError)) throw err;
      log.warn({ err, watchId: watch.id }, 'it could not be ended: it expires at the provider');
    });
}

/** Writes a failed attempt. The first one after a success is told to the owner, and that another mailbox was connected. */
export async function writeFailure(context: Context, watch: Held, error: ProviderError): Promise<void> {
  const { db, clock, log, jobs, countFailure } = context;
  const failed = failedAttempt(watch, error, clock.now());
  const told = { watchId: watch.id, provider: watch.provider, kind: error.kind, status: error.status };
  await db.transaction(async (tx) => {
    const [row] = await updateWatchFailed(tx, { ...claimOf(watch), ...failed });
    // A disconnected watch counts as failing already.
    const hasMoved = error.kind === 'other_mailbox' && watch.error_code !== 'other_mailbox';
    if (row?.failures === 1 || (row !== undefined && hasMoved)) await tell(tx, jobs, watch, failed.lastError);
  });
  countFailure(watch.provider, error.kind);
  if (watch.failures === 0)
    log.error({ ...told, code: error.code }, 'a subscription to a mailbox could not be renewed');
  else log.warn({ ...told, code: error.code, failures: watch.failures + 1 }, 'a subscription still cannot be renewed');
}

/** A notice and a mail for the owner of a failing watch. */
async function tell(tx: Transaction, jobs: Context['jobs'], watch: Held, reason: string): Promise<void> {
  const { account_id: accountId, mailbox } = watch;
  const fact = { watchId: String(watch.id), registeredAt: watch.registered_at?.toISOString() ?? null };
  const failing = { accountId, mailbox, reason: notRenewed(reason), fact, isOfAgent: true };
  await jobs.add(tx, tellOwner, [{ payload: failing }]);
  await jobs.add(tx, mailOwner, [{ payload: { accountId, fact } }]);
}

async function endHeld(context: Context, watch: Held): Promise<void> {
  const { db, clock, log, providers } = context;
  try {
    await providers.of(watch.provider).end(watch);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const now = clock.now();
    const isOver = watch.expires_at === null ? watch.failures >= mostBlindEnds : watch.expires_at <= now;
    const isHopeless = isForOwner(error.kind) || isOver;
    if (!isHopeless)
      return void (await updateWatchFailed(db, { ...claimOf(watch), ...failedAttempt(watch, error, now) }));
    log.warn(
      { watchId: watch.id, kind: error.kind },
      'a subscription could not be ended at the mail provider: it expires there',
    );
  }
  await deleteWatch(db, keyOf(watch));
  await finishDisconnect(context, { accountId: watch.account_id, integrationId: watch.integration_id });
}

/** Attempts to end a registration whose expiry is not known. */
const mostBlindEnds = 12;

const keyOf = ({ account_id: accountId, id, claim }: Held) => ({ accountId, id, claim });

const claimOf = (watch: Held) => ({ ...keyOf(watch), claimedAttemptAt: watch.next_attempt_at });
