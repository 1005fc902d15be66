import type { Commit } from '@agentmesh/lib/idempotency';
import type { Transaction } from '@agentmesh/lib/pg';
import { afterChange, checkAccountId } from '@agentmesh/lib/rpc';
import type {
  UpdateSubscriptionRequest,
  UpdateSubscriptionResponseSchema,
} from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../mail/context.ts';
import { fieldInvalid, subscriptionNotFound } from '../../errors.ts';
import { providerFailure } from '../../mail/provider/provider-failure.ts';
import {
  lockSubscription,
  type SubscriptionRow,
  updateSubscriptionRow,
  type Wishes,
} from '../../store/subscriptions.ts';
import { endWatch, forgetRegistration, planAttempt } from '../../store/watches/watch-plans.ts';
import { readAllowedSenders, readChangeType, readTemplate } from '../../mail/subscriptions/fields.ts';
import { findSubscription } from '../../mail/subscriptions/find.ts';
import { registerAgain } from '../../mail/subscriptions/register-again.ts';
import type { Handlers } from './handlers.ts';
import { subscriptionOf } from './subscription-of.ts';

/** Dependencies of a change: `commit` runs its transaction. */
interface Changing extends Context {
  readonly commit: Commit<MessageInitShape<typeof UpdateSubscriptionResponseSchema>>;
}

/** Changes a subscription. What other calls change meanwhile stays. */
export function updateSubscription(context: Changing): Handlers['updateSubscription'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    let isWritten = false;
    while (!isWritten) isWritten = await attempt(context, { accountId, request });
    return { subscription: await afterChange(subscriptionOf(context, accountId, request.id)) };
  };
}

interface Requested {
  readonly accountId: string;
  readonly request: UpdateSubscriptionRequest;
}

/** False when the subscription has got another registration meanwhile: then the change begins again. */
async function attempt(context: Changing, { accountId, request }: Requested): Promise<boolean> {
  const row = await findSubscription(context.db, accountId, request.id);
  const change = readChange(request, row);
  if (request.agentId !== undefined) await context.checkAgent(accountId, request.agentId);
  const newWatchId = needsWatch(context, row, change)
    ? await replace(context, { accountId, row, changeType: change.changeType })
    : undefined;
  try {
    await write(context, { accountId, request, watchId: row.watch_id, newWatchId });
    return true;
  } catch (error) {
    if (error instanceof WatchChanged) return false;
    throw error;
  }
}

/** The registration was chosen for a state that the subscription does not have any more. */
class WatchChanged extends Error {}

/** A watch of a subscription alone cannot change its types: another one takes its place. */
function needsWatch(context: Context, row: SubscriptionRow, change: Change): boolean {
  return row.watch_state === 'active' && changesRegistration(context, row, change);
}

function changesRegistration({ providers }: Context, row: SubscriptionRow, { changeType }: Change): boolean {
  return !providers.of(row.provider).servesMailbox && changeType !== row.change_type;
}

type Change = Wishes & { readonly state: 'active' | 'disabled' };

function readChange(request: UpdateSubscriptionRequest, row: SubscriptionRow): Change {
  const { changeType, agentMessageTemplate: template, allowedSenders, requireAuthentication, agentId } = request;
  return {
    agentId: agentId ?? row.agent_id,
    template: template === undefined ? row.agent_message_template : readTemplate(template),
    changeType: changeType === undefined ? row.change_type : readChangeType(changeType),
    allowedSenders: allowedSenders === undefined ? row.allowed_senders : readAllowedSenders(allowedSenders.senders),
    requireAuthentication: requireAuthentication ?? row.require_authentication,
    state: readState(request.status, row),
  };
}

function readState(status: string | undefined, { state }: SubscriptionRow): 'active' | 'disabled' {
  if (status === undefined) return state === 'disabled' ? 'disabled' : 'active';
  if (status === 'active' || status === 'disabled') return status;
  throw fieldInvalid('status', 'A status is active or disabled.');
}

interface Replacement {
  readonly accountId: string;
  readonly row: SubscriptionRow;
  readonly changeType: string;
}

function replace(context: Context, { accountId, row, changeType }: Replacement): Promise<bigint> {
  return registerAgain(context, { accountId, row, changeType }).catch((error: unknown) => {
    throw providerFailure(error, context.providers.of(row.provider));
  });
}

interface Writing extends Requested {
  /** The watch that the subscription had when the change began. */
  readonly watchId: bigint;
  /** The watch that takes its place. */
  readonly newWatchId: bigint | undefined;
}

async function write(context: Changing, writing: Writing): Promise<void> {
  const { clock, wakeUpkeep, commit } = context;
  const { accountId, request, newWatchId } = writing;
  const now = clock.now();
  try {
    await commit(
      (tx) => merge(context, tx, { ...writing, now }),
      async (_, tx) => ({ subscription: await subscriptionOf({ db: tx, clock }, accountId, request.id) }),
    );
  } catch (error) {
    if (newWatchId !== undefined) await endUnused(context, { ...writing, newWatchId });
    throw error;
  } finally {
    wakeUpkeep();
  }
}

/** Ends a new watch that the subscription did not get. */
async function endUnused(
  { db, clock }: Context,
  { accountId, request, newWatchId }: Writing & { readonly newWatchId: bigint },
): Promise<void> {
  await db.transaction(async (tx) => {
    // Waits for a commit that is still on its way when the connection broke: it may give the watch to the subscription.
    await lockSubscription(tx, { accountId, id: request.id });
    await endWatch(tx, { accountId, id: newWatchId, now: clock.now() });
  });
}

/** Writes the change into the subscription as it is now. */
async function merge(context: Context, tx: Transaction, writing: Writing & { readonly now: Date }): Promise<void> {
  const { accountId, request, newWatchId, now } = writing;
  const { id } = request;
  const row = await lockSubscription(tx, { accountId, id });
  if (row === undefined) throw subscriptionNotFound(id);
  const change = readChange(request, row);
  const lacksWatch = newWatchId === undefined && needsWatch(context, row, change);
  if (row.watch_id !== writing.watchId || lacksWatch) throw new WatchChanged();
  const isEnabled = row.state === 'disabled' && change.state === 'active';
  const activeSince = isEnabled ? now : row.active_since;
  const watchId = newWatchId ?? row.watch_id;
  await updateSubscriptionRow(tx, { ...change, accountId, id, activeSince, watchId });
  // The former watch has the lower id: watches are locked in the order of their keys.
  if (watchId !== row.watch_id) await endWatch(tx, { accountId, id: row.watch_id, now });
  else if (
    changesRegistration(context, row, change) &&
    !(await forgetRegistration(tx, { accountId, id: watchId, now }))
  )
    throw new WatchChanged();
  // Enabling may need a registration, and enabling or disabling changes what a shared watch covers.
  if (change.state !== row.state) await planAttempt(tx, { accountId, id: watchId, now });
}
