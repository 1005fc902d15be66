import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Provider } from '../../provider.ts';
import type { MailboxName, WatchKey } from './watches.ts';

/**
 * Plans an attempt for each active watch that expires before `before` and has an active subscription. Answers them. Replicas
 * plan at the same time, so every statement that changes several watches locks them in the order of their keys.
 */
export const planRenewals = createQuery<{ now: Date; before: Date }, { id: bigint }>({
  name: 'plan-renewals',
  text: (param) => `with expiring as (
      select w.account_id, w.id from watches w
      where w.state = 'active' and w.expires_at <= ${param.before} and w.next_attempt_at is null and exists (
        select 1 from subscriptions s where s.account_id = w.account_id and s.watch_id = w.id and s.state = 'active'
      ) order by w.account_id, w.id for no key update of w
    )
    update watches w set next_attempt_at = ${param.now} from expiring e where w.account_id = e.account_id and w.id = e.id
    returning w.id`,
});

const planOne = createQuery<WatchKey & { now: Date }>({
  name: 'plan-attempt',
  text: (param) => `update watches set next_attempt_at = ${param.now}
    where account_id = ${param.accountId} and id = ${param.id}
      and (next_attempt_at is null or next_attempt_at > ${param.now} or claimed_until > ${param.now})`,
});

/** Plans an attempt to renew, register or end a watch now. It comes after one that is being made, which may have begun with other wishes. */
export async function planAttempt(db: Queryable, watch: WatchKey & { now: Date }): Promise<void> {
  await planOne(db, watch);
}

/**
 * Plans an attempt for each watch of a mail account that was just connected and needs one, or may need one when the attempt ends that
 * is being made. Answers them.
 */
export const planRearming = createQuery<{ accountId: string; provider: Provider; now: Date }, { id: bigint }>({
  name: 'plan-rearming',
  text: (param) => `with failing as (
      select account_id, id from watches
      where account_id = ${param.accountId} and provider = ${param.provider} and (state in ('error', 'expired') or failures > 0 or claimed_until > ${param.now})
      order by account_id, id for no key update
    )
    update watches w set next_attempt_at = ${param.now} from failing f where w.account_id = f.account_id and w.id = f.id
    returning w.id`,
});

const forget = createQuery<WatchKey & { now: Date }, { id: bigint }>({
  name: 'forget-registration',
  text: (
    param,
  ) => `update watches set provider_id = null, claim = null, claimed_until = '-infinity', next_attempt_at = ${param.now}
    where account_id = ${param.accountId} and id = ${param.id} and not serves_mailbox and state <> 'active' returning id`,
});

/**
 * Plans an attempt that registers a failing watch of one subscription again instead of renewing it: its subscription wants other changes now. An attempt that
 * is being made loses its claim, because it began with the former wishes. False when the watch is active: then nothing was written.
 */
export async function forgetRegistration(db: Queryable, watch: WatchKey & { now: Date }): Promise<boolean> {
  return (await forget(db, watch)).length > 0;
}

/**
 * Plans an attempt for the watches of a mailbox beside one whose end has stopped the watch that they share at the provider. Attempts that are being made lose
 * their claims, because the provider may have taken their calls before the stop.
 */
export const planStoppedWatches = createQuery<WatchKey & MailboxName & { now: Date }>({
  name: 'plan-stopped-watches',
  text: (param) => `with stopped as (
      select account_id, id from watches
      where serves_mailbox and provider = ${param.provider} and mailbox = ${param.mailbox}
        and not (account_id = ${param.accountId} and id = ${param.id})
        and (state = 'active' or (state in ('new', 'error', 'expired') and claimed_until > ${param.now}))
      order by account_id, id for no key update
    )
    update watches w set next_attempt_at = ${param.now}, claim = null, claimed_until = '-infinity' from stopped s
    where w.account_id = s.account_id and w.id = s.id`,
});

interface Ending extends WatchKey {
  readonly now: Date;
  /** Microsoft: id of a subscription that could not be stored in the watch. */
  readonly providerId?: string | null;
}

const end = createQuery<Ending & { providerId: string | null }>({
  name: 'end-watch',
  text: (param) => `update watches w set state = 'ending', next_attempt_at = ${param.now}, failures = 0,
      provider_id = coalesce(w.provider_id, ${param.providerId})
    where w.account_id = ${param.accountId} and w.id = ${param.id} and not exists (
      select 1 from subscriptions s where s.account_id = w.account_id and s.watch_id = w.id
    )`,
});

/** Plans the end of a watch if it has no subscriptions; otherwise does nothing. */
export async function endWatch(db: Queryable, watch: Ending): Promise<void> {
  await end(db, { providerId: null, ...watch });
}

const deleteAbandonedSubscriptions = createQuery<{ before: Date }, { id: number }>({
  name: 'delete-abandoned-subscriptions',
  text: (param) => `delete from subscriptions where (account_id, id) in (
      select account_id, id from subscriptions where state = 'creating' and created_at <= ${param.before}
      order by account_id, id for update skip locked
    ) returning id`,
});

const endOrphans = createQuery<{ before: Date; now: Date }>({
  name: 'end-orphaned-watches',
  text: (param) => `with orphaned as (
      select w.account_id, w.id from watches w
      where w.state <> 'ending' and w.created_at <= ${param.before} and w.claimed_until <= ${param.now} and not exists (
        select 1 from subscriptions s where s.account_id = w.account_id and s.watch_id = w.id
      ) order by w.account_id, w.id for no key update of w
    )
    update watches w set state = 'ending', next_attempt_at = ${param.now} from orphaned o where w.account_id = o.account_id and w.id = o.id`,
});

/** Plans the end of watches without subscriptions, which processes have left behind that died while they registered them before `before`. */
export async function endOrphanedWatches(db: Queryable, times: { before: Date; now: Date }): Promise<void> {
  await endOrphans(db, times);
}

/** Removes subscriptions that processes have left behind that died while they created them before `before`, and their watches. */
export async function endAbandoned(db: Queryable, times: { before: Date; now: Date }): Promise<void> {
  const abandoned = await deleteAbandonedSubscriptions(db, times);
  if (abandoned.length > 0) await endOrphans(db, times);
}

interface Detaching {
  readonly accountId: string;
  readonly integrationId: bigint;
  readonly now: Date;
  /** Shown to the owner. */
  readonly lastError: string;
}

const detach = createQuery<Detaching>({
  name: 'detach-watches',
  text: (param) => `with detached as (
      select * from watches where account_id = ${param.accountId} and integration_id = ${param.integrationId}
        and state not in ('ending', 'new') and expires_at is not null order by account_id, id for no key update
    ), kept as (
      update watches w set state = 'error', error_code = 'disconnected', last_error = ${param.lastError}, failures = 1,
        provider_id = null, expires_at = null, registered_at = null, cursor = null, catch_up_from = null,
        delta_link = null, change_places = '{}', looked_at = null, path_token_hash = null, client_state_hash = null, next_attempt_at = ${param.now}, claim = null, claimed_until = '-infinity'
      from detached d where w.account_id = d.account_id and w.id = d.id
    )
    insert into watches (account_id, provider, serves_mailbox, mailbox, integration_id, state, provider_id, expires_at, next_attempt_at, created_at)
    select account_id, provider, serves_mailbox, mailbox, integration_id, 'ending', provider_id, expires_at, ${param.now}, ${param.now} from detached`,
});

/**
 * Plans the end of everything that is registered with a disconnected integration. Its subscriptions stay, with the error
 * `disconnected`, and are registered again when a mail account is connected. Mail that arrives meanwhile runs no agent.
 */
export async function detachWatches(db: Queryable, values: Detaching): Promise<void> {
  await detach(db, values);
}

/** Whether something is still to be ended at the provider with the tokens of an integration. */
export const selectEndingWatches = createQuery<{ accountId: string; integrationId: bigint }, { one: number }>({
  name: 'select-ending-watches',
  text: (param) => `select 1 as one from watches
    where account_id = ${param.accountId} and integration_id = ${param.integrationId} and state = 'ending' limit 1`,
});
