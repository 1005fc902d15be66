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
import { type SubscriptionRow, updateSubscriptionRow, type Wishes } from '../../store/subscriptions.ts';
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

/** Changes a subscription. */
export function updateSubscription(context: Changing): Handlers['updateSubscription'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const row = await findSubscription(context.db, accountId, request.id);
    const change = readChange(request, row);
    if (request.agentId !== undefined) await context.checkAgent(accountId, request.agentId);
    // A watch of a subscription alone cannot change its types: another one takes its place.
    const { servesMailbox } = context.providers.of(row.provider);
    const isOther = !servesMailbox && change.changeType !== row.change_type;
    const isReplaced = isOther && row.watch_state === 'active';
    const watchId = isReplaced
      ? await replace(context, { accountId, row, changeType: change.changeType })
      : row.watch_id;
    await write(context, { accountId, row, change, watchId });
    return { subscription: await afterChange(subscriptionOf(context, accountId, row.id)) };
  };
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

interface Writing {
  readonly accountId: string;
  readonly row: SubscriptionRow;
  readonly change: Change;
  /** The watch that it has from now on. */
  readonly watchId: bigint;
}

async function write(context: Changing, { accountId, row, change, watchId }: Writing): Promise<void> {
  const { db, clock, wakeUpkeep, commit } = context;
  const now = clock.now();
  const isEnabled = row.state === 'disabled' && change.state === 'active';
  const activeSince = isEnabled ? now : row.active_since;
  const work = async (tx: Transaction): Promise<void> => {
    const written = await updateSubscriptionRow(tx, { ...change, accountId, id: row.id, activeSince, watchId });
    if (written.length === 0) throw subscriptionNotFound(row.id);
    // The former watch has the lower id: watches are locked in the order of their keys.
    if (watchId !== row.watch_id) await endWatch(tx, { accountId, id: row.watch_id, now });
    else if (change.changeType !== row.change_type) await forgetRegistration(tx, { accountId, id: watchId });
    // Enabling may need a registration, and enabling or disabling changes what a shared watch covers.
    if (change.state !== row.state) await planAttempt(tx, { accountId, id: watchId, now });
  };
  const read = async (tx: Transaction) => ({
    subscription: await subscriptionOf({ db: tx, clock }, accountId, row.id),
  });
  try {
    await commit(work, (_, tx) => read(tx));
  } catch (error) {
    // A new watch that the subscription did not get.
    if (watchId !== row.watch_id) await endWatch(db, { accountId, id: watchId, now });
    throw error;
  } finally {
    wakeUpkeep();
  }
}
