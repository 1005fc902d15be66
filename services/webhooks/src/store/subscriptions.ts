import { createQuery, type Transaction } from '@agentmesh/lib/pg';

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
  readonly provider: 'microsoft' | 'google';
  readonly mailbox: string;
  readonly watch_state: 'new' | 'active' | 'error' | 'expired' | 'ending';
  readonly provider_id: string | null;
  readonly expires_at: Date | null;
  readonly last_error: string | null;
}

const columns = `s.id, s.watch_id, s.provider_name, s.local_id, s.resource, s.change_type, s.agent_id, s.agent_message_template,
  s.allowed_senders, s.require_authentication, s.state, s.active_since, s.created_at,
  w.provider, w.mailbox, w.state as watch_state, w.provider_id, w.expires_at, w.last_error`;
const withWatch = 'subscriptions s join watches w on w.account_id = s.account_id and w.id = s.watch_id';

/** All subscriptions of an account that were registered once, oldest first. */
export const selectSubscriptions = createQuery<{ accountId: string }, SubscriptionRow>({
  name: 'select-subscriptions',
  text: (param) => `select ${columns} from ${withWatch}
    where s.account_id = ${param.accountId} and s.state <> 'creating' order by s.id`,
});

/** One subscription of an account that was registered once. */
export const selectSubscription = createQuery<{ accountId: string; id: number }, SubscriptionRow>({
  name: 'select-subscription',
  text: (param) => `select ${columns} from ${withWatch}
    where s.account_id = ${param.accountId} and s.id = ${param.id} and s.state <> 'creating'`,
});

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from subscriptions where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all subscriptions of an account and returns their number. */
export async function deleteAccountSubscriptions(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}
