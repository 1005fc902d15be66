import { createQuery, type Placeholders, type Queryable, type Transaction } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';
import type { MailboxKey } from './mailboxes.ts';
import type { MailboxName } from './watches/watches.ts';

export interface NotifiedWatch {
  readonly account_id: string;
  readonly id: bigint;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly provider_id: string | null;
  readonly client_state_hash: Buffer | null;
}

const columns = 'account_id, id, provider, mailbox, provider_id, client_state_hash';

const selectByPath = createQuery<{ pathTokenHash: Buffer }, NotifiedWatch>({
  name: 'select-watch-by-path',
  text: (param) => `select ${columns} from watches
    where path_token_hash = ${param.pathTokenHash} and state <> 'ending'`,
});

/** The watch whose notification address ends in a token with this SHA-256. */
export const selectWatchesByPath = selectByPath;

const selectByProviderIds = createQuery<{ provider: Provider; providerIds: readonly string[] }, NotifiedWatch>({
  name: 'select-watches-by-provider-id',
  text: (param) => `select ${columns} from watches
    where provider = ${param.provider} and provider_id = any(${param.providerIds}) and provider_id is not null and state <> 'ending'`,
});

/** Watches by the ids of their subscriptions at a provider. */
export const selectWatchesByProviderIds = selectByProviderIds;

/** A mail that a watch was notified of. */
export interface Notified {
  readonly accountId: string;
  readonly watchId: bigint;
  /** Immutable id at the provider. */
  readonly messageId: string;
  /** Empty: not named. It is then new mail, or the first kind that the subscription wants. */
  readonly changeType: string;
}

const insertLogsOf = createQuery<
  { accountId: string; watchIds: bigint[]; messageIds: string[]; changeTypes: string[]; now: Date },
  MailboxKey
>({
  name: 'insert-notified-logs',
  text: (
    param,
  ) => `insert into logs (account_id, subscription_id, watch_id, provider, mailbox, agent_id, message_id, change_type,
      status, next_attempt_at, created_at)
    select s.account_id, s.id, w.id, w.provider, w.mailbox, s.agent_id, n.message_id,
      case when n.change_type <> '' then n.change_type when 'created' = any(string_to_array(s.change_type, ',')) then 'created'
        else split_part(s.change_type, ',', 1) end,
      'pending', ${param.now}, ${param.now}
    from unnest(${param.watchIds}::bigint[], ${param.messageIds}::text[], ${param.changeTypes}::text[]) as n (watch_id, message_id, change_type)
    join watches w on w.account_id = ${param.accountId} and w.id = n.watch_id
    join subscriptions s on s.account_id = ${param.accountId} and s.watch_id = n.watch_id
    where s.state in ('active', 'creating') and (n.change_type = '' or n.change_type = any(string_to_array(s.change_type, ',')))
    order by s.id, n.message_id, n.change_type
    on conflict (account_id, subscription_id, message_id, change_type) do nothing
    returning account_id as "accountId", provider, mailbox`,
});

/**
 * Inserts a pending log for each mail and each subscription that wants it, unless there is one. Answers the mailboxes of the new ones, with
 * repetitions. The order of the accounts and rows keeps two transactions with the same mails from waiting for each other.
 */
export async function insertNotified(tx: Transaction, mails: readonly Notified[], now: Date): Promise<MailboxKey[]> {
  const byAccount = [...Map.groupBy(mails, ({ accountId }) => accountId)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const mailboxes: MailboxKey[] = [];
  for (const [accountId, some] of byAccount) {
    const inserted = await insertLogsOf(tx, {
      accountId,
      watchIds: some.map(({ watchId }) => watchId),
      messageIds: some.map(({ messageId }) => messageId),
      changeTypes: some.map(({ changeType }) => changeType),
      now,
    });
    mailboxes.push(...inserted);
  }
  return mailboxes;
}

interface NotifiedMailbox extends MailboxName {
  readonly historyId: string;
}

const notifiedWatches = (param: NotifiedMailbox): string =>
  `serves_mailbox and provider = ${param.provider} and mailbox = ${param.mailbox} and state in ('new', 'active', 'error', 'expired')
      and (cursor is null or cursor < ${param.historyId}::numeric)`;

const selectMailboxes = createQuery<NotifiedMailbox, MailboxKey>({
  name: 'select-notified-mailboxes',
  text: (param) => `select account_id as "accountId", provider, mailbox from watches where ${notifiedWatches(param)}`,
});

/** The mailbox in every account that has it, unless its history was read to this id already. */
export const selectNotifiedMailboxes = selectMailboxes;

const lookAtMailbox = createQuery<NotifiedMailbox & { accountId: string; now: Date }>({
  name: 'look-at-notified-mailbox',
  text: (param) => `with notified as (
      select account_id, id from watches where account_id = ${param.accountId} and ${notifiedWatches(param)}
      order by id for no key update
    )
    update watches w set look_at = least(w.look_at, ${param.now}), look_requests = w.look_requests + 1 from notified n
    where w.account_id = n.account_id and w.id = n.id`,
});

/** Plans a look at the mailboxes that `selectNotifiedMailboxes` answers, in the order of their accounts. */
export async function planMailboxLook(
  tx: Transaction,
  mailboxes: readonly MailboxKey[],
  notified: { historyId: string; now: Date },
): Promise<void> {
  const byAccount = new Map(mailboxes.map((mailbox) => [mailbox.accountId, mailbox]));
  for (const [, mailbox] of [...byAccount].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await lookAtMailbox(tx, { ...mailbox, ...notified });
}

export type LifecycleEvent = 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed';

/** SQL: the event says that an active watch is gone at Microsoft. */
const isRemoved = (param: Placeholders<{ event: LifecycleEvent }>): string =>
  `${param.event}::text = 'subscriptionRemoved' and state = 'active'`;

const planLifecycleEvent = createQuery<{
  accountId: string;
  id: bigint;
  event: LifecycleEvent;
  missedSince: Date;
  now: Date;
}>({
  name: 'plan-lifecycle-event',
  text: (param) => `update watches set look_at = least(look_at, ${param.now}), look_requests = look_requests + 1,
      catch_up_from = least(catch_up_from, ${param.missedSince}::timestamptz),
      state = case when ${isRemoved(param)} then 'new' else state end,
      claim = case when ${isRemoved(param)} then null else claim end,
      claimed_until = case when ${isRemoved(param)} then '-infinity' else claimed_until end,
      next_attempt_at = case when ${param.event}::text = 'missed' then next_attempt_at else ${param.now} end
    where account_id = ${param.accountId} and id = ${param.id} and state <> 'ending'`,
});

/**
 * Plans what a lifecycle event asks for: a look for missed mail, and a renewal or a new registration. When an active watch is gone at Microsoft, an attempt
 * that is being made loses its claim: it would write that the watch still works.
 */
export async function planLifecycle(db: Queryable, values: Parameters<typeof planLifecycleEvent>[1]): Promise<void> {
  await planLifecycleEvent(db, values);
}
