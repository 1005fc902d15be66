import { createQuery, type Queryable, type Transaction } from '@agentmesh/lib/pg';
import type { Provider } from '../../provider.ts';

/** A registration at a provider. */
export interface WatchRow {
  readonly account_id: string;
  readonly id: bigint;
  readonly provider: Provider;
  /** It serves a whole mailbox: all subscriptions to the mailbox share it. */
  readonly serves_mailbox: boolean;
  readonly mailbox: string;
  readonly integration_id: bigint;
  readonly state: 'new' | 'active' | 'error' | 'expired' | 'ending';
  readonly provider_id: string | null;
  readonly path_token_hash: Buffer | null;
  readonly labels: string[];
  readonly expires_at: Date | null;
  readonly registered_at: Date | null;
  readonly failures: number;
  readonly error_code: string | null;
  readonly next_attempt_at: Date | null;
  /** The replica that works on it. */
  readonly claim: string | null;
}

export const watchColumns = `account_id, id, provider, serves_mailbox, mailbox, integration_id, state, provider_id, path_token_hash, labels,
  expires_at, registered_at, failures, error_code, next_attempt_at, claim`;

/** Names a watch. */
export interface WatchKey {
  readonly accountId: string;
  readonly id: bigint;
}

/** Names a mailbox at a provider, whichever accounts have it. */
export interface MailboxName {
  readonly provider: Provider;
  readonly mailbox: string;
}

interface NewWatch {
  readonly accountId: string;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly integrationId: bigint;
  readonly now: Date;
}

/** Stores a watch for one subscription, which is not registered yet. */
export const insertWatch = createQuery<NewWatch, WatchRow>({
  name: 'insert-watch',
  text: (
    param,
  ) => `insert into watches (account_id, provider, serves_mailbox, mailbox, integration_id, state, created_at)
    values (${param.accountId}, ${param.provider}, false, ${param.mailbox}, ${param.integrationId}, 'new', ${param.now}) returning ${watchColumns}`,
});

/** Returns the account's watch that serves a mailbox, which is stored if there is none. */
export const upsertMailboxWatch = createQuery<NewWatch, WatchRow>({
  name: 'upsert-mailbox-watch',
  text: (
    param,
  ) => `insert into watches (account_id, provider, serves_mailbox, mailbox, integration_id, state, created_at)
    values (${param.accountId}, ${param.provider}, true, ${param.mailbox}, ${param.integrationId}, 'new', ${param.now})
    on conflict (account_id, provider, mailbox) where serves_mailbox and state <> 'ending' do update
      set integration_id = excluded.integration_id
    returning ${watchColumns}`,
});

export const selectWatch = createQuery<WatchKey, WatchRow>({
  name: 'select-watch',
  text: (param) => `select ${watchColumns} from watches where account_id = ${param.accountId} and id = ${param.id}`,
});

/** Every watch of an account that may be registered at its provider. */
export const selectRegisteredWatches = createQuery<{ accountId: string }, WatchRow>({
  name: 'select-registered-watches',
  text: (param) => `select ${watchColumns} from watches
    where account_id = ${param.accountId} and (expires_at is not null or path_token_hash is not null)`,
});

const labelsOf = createQuery<MailboxName, { resource: string }>({
  name: 'select-mailbox-labels',
  text: (param) => `select distinct s.resource from watches w
    join subscriptions s on s.account_id = w.account_id and s.watch_id = w.id
    where w.serves_mailbox and w.provider = ${param.provider} and w.mailbox = ${param.mailbox} and w.state <> 'ending'
      and s.state in ('creating', 'active') order by 1`,
});

/**
 * Labels that the subscriptions of all accounts to a mailbox with shared watches need; none when one of them needs all labels, or when there is
 * no subscription.
 */
export async function selectMailboxLabels(db: Queryable, name: MailboxName): Promise<string[]> {
  const labels = (await labelsOf(db, name)).map(({ resource }) => resource);
  return labels.includes('ALL') ? [] : labels;
}

/** Whether another account, or another row of this one, keeps the watch that serves a mailbox. */
export const selectSharingWatches = createQuery<WatchKey & MailboxName, { one: number }>({
  name: 'select-sharing-watches',
  text: (
    param,
  ) => `select 1 as one from watches where serves_mailbox and provider = ${param.provider} and mailbox = ${param.mailbox}
    and state in ('new', 'active') and not (account_id = ${param.accountId} and id = ${param.id}) limit 1`,
});

/** A watch that somebody has claimed. */
interface ClaimedKey extends WatchKey {
  readonly claim: string | null;
}

const setSecrets = createQuery<ClaimedKey & { pathTokenHash: Buffer; clientStateHash: Buffer }, { id: bigint }>({
  name: 'set-watch-secrets',
  text: (
    param,
  ) => `update watches set path_token_hash = ${param.pathTokenHash}, client_state_hash = ${param.clientStateHash}
    where account_id = ${param.accountId} and id = ${param.id} and claim = ${param.claim} returning id`,
});

/**
 * Stores the hashes of the secrets that notifications will carry. They must be there before the provider knows the secrets. False when the claim was lost:
 * notifications carry the secrets of somebody else then.
 */
export async function setWatchSecrets(db: Queryable, values: Parameters<typeof setSecrets>[1]): Promise<boolean> {
  return (await setSecrets(db, values)).length > 0;
}

const moveOne = createQuery<ClaimedKey & { mailbox: string; integrationId: bigint }, { id: bigint }>({
  name: 'move-watch',
  text: (
    param,
  ) => `update watches set mailbox = ${param.mailbox}, integration_id = ${param.integrationId}, cursor = null,
      delta_link = null, change_places = '{}', looked_at = null
    where account_id = ${param.accountId} and id = ${param.id} and claim = ${param.claim} returning id`,
});

/** Gives a watch that is not registered another mailbox. False when the claim was lost. */
export async function moveWatch(db: Queryable, values: Parameters<typeof moveOne>[1]): Promise<boolean> {
  return (await moveOne(db, values)).length > 0;
}

const lock = createQuery<{ accountId: string; ids: readonly bigint[] }>({
  name: 'lock-watches',
  text: (param) => `select from watches where account_id = ${param.accountId} and id = any(${param.ids}::bigint[])
    order by id for no key update`,
});

/** Locks watches of an account in the order of their keys, as every transaction does that changes several. */
export async function lockWatches(tx: Transaction, values: Parameters<typeof lock>[1]): Promise<void> {
  await lock(tx, values);
}

/** The account's watch that serves a mailbox. */
export const selectMailboxWatch = createQuery<MailboxName & { accountId: string }, { id: bigint }>({
  name: 'select-mailbox-watch',
  text: (param) => `select id from watches
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox} and serves_mailbox and state <> 'ending'`,
});

const deleteOne = createQuery<WatchKey>({
  name: 'delete-watch',
  text: (param) => `delete from watches where account_id = ${param.accountId} and id = ${param.id}`,
});

/** Deletes a watch, which has no subscriptions. Does nothing when there is none. */
export async function deleteWatch(db: Queryable, key: WatchKey): Promise<void> {
  await deleteOne(db, key);
}

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from watches where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all watches of an account, which has no subscriptions any more, and returns their number. */
export async function deleteAccountWatches(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}
