import { createQuery, type Queryable, type Transaction } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';

/** A subscription with its watch. */
export interface SubscriptionRow {
  readonly id: number;
  readonly watch_id: bigint;
  readonly provider_name: string;
  readonly local_id: string | null;
  readonly resource: string;
  readonly change_type: string;
  readonly agent_id: number;
  readonly agent_message_template: string | null;
  readonly allowed_senders: string[];
  readonly require_authentication: boolean;
  readonly state: 'creating' | 'active' | 'disabled';
  readonly active_since: Date;
  readonly created_at: Date;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly integration_id: bigint;
  readonly watch_state: 'new' | 'active' | 'error' | 'expired' | 'ending';
  readonly provider_id: string | null;
  readonly expires_at: Date | null;
  readonly last_error: string | null;
}

const columns = `s.id, s.watch_id, s.provider_name, s.local_id, s.resource, s.change_type, s.agent_id, s.agent_message_template,
  s.allowed_senders, s.require_authentication, s.state, s.active_since, s.created_at,
  w.provider, w.mailbox, w.integration_id, w.state as watch_state, w.provider_id, w.expires_at, coalesce(s.agent_error, w.last_error) as last_error`;
const withWatch = 'subscriptions s join watches w on w.account_id = s.account_id and w.id = s.watch_id';

/** All subscriptions of an account that were registered once, oldest first. */
export const selectSubscriptions = createQuery<{ accountId: string }, SubscriptionRow>({
  name: 'select-subscriptions',
  text: (param) => `select ${columns} from ${withWatch}
    where s.account_id = ${param.accountId} and s.state <> 'creating' order by s.id`,
});

/** Selects a subscription of an account by id, unless it is still being created. */
export const selectSubscription = createQuery<{ accountId: string; id: number }, SubscriptionRow>({
  name: 'select-subscription',
  text: (param) => `select ${columns} from ${withWatch}
    where s.account_id = ${param.accountId} and s.id = ${param.id} and s.state <> 'creating'`,
});

const lock = createQuery<{ accountId: string; id: number }, { id: number }>({
  name: 'lock-subscription',
  text: (param) => `select id from subscriptions where account_id = ${param.accountId} and id = ${param.id} for update`,
});

/** Locks a subscription, and selects it; undefined when it is gone or still being created. */
export async function lockSubscription(
  tx: Transaction,
  key: { accountId: string; id: number },
): Promise<SubscriptionRow | undefined> {
  // One statement that waited for the lock would look for the watch that the subscription had before.
  await lock(tx, key);
  const [row] = await selectSubscription(tx, key);
  return row;
}

const count = createQuery<{ accountId: string }, { number: bigint }>({
  name: 'count-subscriptions',
  text: (param) => `select (select count(*) from subscriptions where account_id = ${param.accountId})
    + (select count(*) from watches where account_id = ${param.accountId} and state = 'ending') as number`,
});

/** Number of subscriptions of an account, with those that are being created, and with the watches that are being ended at their provider. */
export async function countSubscriptions(db: Queryable, accountId: string): Promise<number> {
  const [row] = await count(db, { accountId });
  return Number(row?.number ?? 0);
}

/** Fields of a subscription that its owner chooses. */
export interface Wishes {
  readonly agentId: number;
  /** Null: the default message. */
  readonly template: string | null;
  readonly changeType: string;
  readonly allowedSenders: readonly string[];
  readonly requireAuthentication: boolean;
}

interface NewSubscription extends Wishes {
  readonly accountId: string;
  readonly watchId: bigint;
  readonly providerName: string;
  readonly localId: string | null;
  readonly resource: string;
  readonly now: Date;
}

/** Stores a subscription that is being created. */
export const insertSubscription = createQuery<NewSubscription, { id: number }>({
  name: 'insert-subscription',
  text: (
    param,
  ) => `insert into subscriptions (account_id, watch_id, provider_name, local_id, resource, change_type, agent_id,
      agent_message_template, allowed_senders, require_authentication, state, active_since, created_at)
    values (${param.accountId}, ${param.watchId}, ${param.providerName}, ${param.localId}, ${param.resource}, ${param.changeType},
      ${param.agentId}, ${param.template}, ${param.allowedSenders}, ${param.requireAuthentication}, 'creating', ${param.now},
      ${param.now}) returning id`,
});

/** Makes a subscription active that was being created. Answers nothing when it is gone. */
export const activateSubscription = createQuery<{ accountId: string; id: number }, { id: number }>({
  name: 'activate-subscription',
  text: (param) => `update subscriptions set state = 'active'
    where account_id = ${param.accountId} and id = ${param.id} and state = 'creating' returning id`,
});

/** Deletes a subscription that is still being created. */
export const deleteCreatingSubscription = createQuery<{ accountId: string; id: number }>({
  name: 'delete-creating-subscription',
  text: (param) => `delete from subscriptions
    where account_id = ${param.accountId} and id = ${param.id} and state = 'creating'`,
});

interface Change extends Wishes {
  readonly accountId: string;
  readonly id: number;
  readonly state: 'active' | 'disabled';
  readonly activeSince: Date;
  readonly watchId: bigint;
}

/** Writes what the owner of a subscription has changed. Answers nothing when it is gone. */
export const updateSubscriptionRow = createQuery<Change, { id: number }>({
  name: 'update-subscription',
  text: (param) => `update subscriptions set agent_id = ${param.agentId}, agent_message_template = ${param.template},
      change_type = ${param.changeType}, allowed_senders = ${param.allowedSenders},
      require_authentication = ${param.requireAuthentication}, state = ${param.state}, active_since = ${param.activeSince},
      watch_id = ${param.watchId}, agent_error = case when agent_id = ${param.agentId} then agent_error end
    where account_id = ${param.accountId} and id = ${param.id} returning id`,
});

const setAgentError = createQuery<
  { accountId: string; id: number; agentId: number; error: string | null },
  { id: number }
>({
  name: 'update-agent-error',
  text: (param) => `update subscriptions set agent_error = ${param.error}
    where account_id = ${param.accountId} and id = ${param.id} and agent_id = ${param.agentId}
      and agent_error is distinct from ${param.error} returning id`,
});

/** Notes why the agent of a subscription cannot run, or with null that it can. Answers nothing when that was known, or it has another agent. */
export const updateAgentError = setAgentError;

/** Active subscription to a watch. */
export interface ActiveSubscriptionRow {
  readonly resource: string;
  readonly change_type: string;
}

/** The oldest active subscription to a watch. */
export const selectActiveOfWatch = createQuery<{ accountId: string; watchId: bigint }, ActiveSubscriptionRow>({
  name: 'select-active-of-watch',
  text: (param) => `select resource, change_type from subscriptions
    where account_id = ${param.accountId} and watch_id = ${param.watchId} and state = 'active' order by id limit 1`,
});

const setActiveSince = createQuery<{ accountId: string; watchId: bigint; claim: string; now: Date }>({
  name: 'update-active-since',
  text: (param) => `update subscriptions set active_since = ${param.now}
    where account_id = ${param.accountId} and watch_id = ${param.watchId} and state = 'active' and exists (
      select 1 from watches where account_id = ${param.accountId} and id = ${param.watchId} and claim = ${param.claim}
    )`,
});

/** Lets mail from now on run the agents of a watch's active subscriptions. Does nothing when the claim was lost. */
export async function updateActiveSince(db: Queryable, values: Parameters<typeof setActiveSince>[1]): Promise<void> {
  await setActiveSince(db, values);
}

const moveAll = createQuery<{ accountId: string; from: bigint; to: bigint; now: Date }>({
  name: 'move-subscriptions',
  text: (param) => `update subscriptions set watch_id = ${param.to}, active_since = ${param.now}
    where account_id = ${param.accountId} and watch_id = ${param.from}`,
});

/** Gives all subscriptions of a watch to another one. */
export async function moveSubscriptions(db: Queryable, values: Parameters<typeof moveAll>[1]): Promise<void> {
  await moveAll(db, values);
}

/** Deletes a subscription. Answers its watch; nothing when there was none. */
export const deleteSubscriptionRow = createQuery<{ accountId: string; id: number }, { watch_id: bigint }>({
  name: 'delete-subscription',
  text: (param) =>
    `delete from subscriptions where account_id = ${param.accountId} and id = ${param.id} returning watch_id`,
});

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from subscriptions where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all subscriptions of an account and returns their number. */
export async function deleteAccountSubscriptions(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}
