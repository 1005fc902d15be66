import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { MailboxName, WatchKey, WatchRow } from './watches.ts';

/** A watch as its claimant knows it. */
export interface Claimed extends WatchKey {
  readonly claim: string;
}

interface Planned extends Claimed {
  /** The attempt that was planned when the watch was claimed. */
  readonly claimedAttemptAt: Date | null;
}

interface Registered extends Planned {
  readonly now: Date;
  readonly expiresAt: Date;
  /** Microsoft: id of the subscription. */
  readonly providerId: string | null;
  /** Gmail: labels of the call. */
  readonly labels: readonly string[];
  /** Gmail: the history id of the call; kept only when there is no cursor. */
  readonly cursor: string | null;
  /** Since when notifications may be missing. */
  readonly catchUpFrom: Date | null;
}

/**
 * Writes a success: the watch is active, and no attempt is planned but one that was planned since the claim. Answers nothing when the claim was lost; what is registered
 * then belongs to nobody.
 */
export const updateWatchRegistered = createQuery<Registered, { id: bigint }>({
  name: 'update-watch-registered',
  text: (param) => `update watches set state = case state when 'ending' then state else 'active' end,
      provider_id = ${param.providerId}, labels = ${param.labels}, cursor = coalesce(cursor, ${param.cursor}::numeric),
      expires_at = ${param.expiresAt}, registered_at = ${param.now}, failures = 0, error_code = null, last_error = null,
      next_attempt_at = case when state = 'ending' then ${param.now}::timestamptz
        when next_attempt_at is distinct from ${param.claimedAttemptAt}::timestamptz then next_attempt_at end, claimed_until = '-infinity', claim = null,
      catch_up_from = least(catch_up_from, ${param.catchUpFrom}::timestamptz),
      look_requests = look_requests + 1,
      look_at = case when ${param.catchUpFrom}::timestamptz is null then look_at else ${param.now}::timestamptz end
    where account_id = ${param.accountId} and id = ${param.id} and claim = ${param.claim} returning id`,
});

const shareExpiry = createQuery<MailboxName & { expiresAt: Date; labels: readonly string[] }>({
  name: 'share-watch-expiry',
  text: (param) => `with shared as (
      select account_id, id from watches where serves_mailbox and provider = ${param.provider} and mailbox = ${param.mailbox}
        and state = 'active'
      order by account_id, id for no key update
    )
    update watches w set expires_at = ${param.expiresAt}, labels = ${param.labels} from shared s
    where w.account_id = s.account_id and w.id = s.id`,
});

/** Writes the new expiry of a mailbox also to the watches of other accounts. */
export async function updateSharedExpiry(db: Queryable, values: Parameters<typeof shareExpiry>[1]): Promise<void> {
  await shareExpiry(db, values);
}

interface Failed extends Planned {
  readonly state: WatchRow['state'];
  readonly errorCode: string;
  readonly lastError: string;
  readonly nextAttemptAt: Date;
}

/** Writes a failure and plans the next attempt, unless a sooner one was planned since the claim. Answers the number of failures since the last success; nothing when the claim was lost. */
export const updateWatchFailed = createQuery<Failed, { failures: number }>({
  name: 'update-watch-failed',
  text: (param) => `update watches set state = case state when 'ending' then state else ${param.state} end,
      failures = failures + 1, error_code = ${param.errorCode}, last_error = ${param.lastError},
      next_attempt_at = case when next_attempt_at is distinct from ${param.claimedAttemptAt}::timestamptz
        then least(next_attempt_at, ${param.nextAttemptAt}) else ${param.nextAttemptAt} end, claimed_until = '-infinity', claim = null
    where account_id = ${param.accountId} and id = ${param.id} and claim = ${param.claim} returning failures`,
});

/** Finds a watch that has failed since its success at `registeredAt`, while an active subscription needs it. */
export const selectFailingWatch = createQuery<WatchKey & { registeredAt: Date | null }, { id: bigint }>({
  name: 'select-failing-watch',
  text: (param) => `select id from watches
    where account_id = ${param.accountId} and id = ${param.id} and state <> 'ending' and failures > 0
      and registered_at is not distinct from ${param.registeredAt}::timestamptz and exists (
        select from subscriptions s where s.account_id = ${param.accountId} and s.watch_id = ${param.id} and s.state = 'active'
      )`,
});

const updateIdle = createQuery<Planned>({
  name: 'update-watch-idle',
  text: (param) => `update watches set
      next_attempt_at = case when next_attempt_at is distinct from ${param.claimedAttemptAt}::timestamptz then next_attempt_at end,
      claimed_until = '-infinity', claim = null
    where account_id = ${param.accountId} and id = ${param.id} and claim = ${param.claim}`,
});

/** Plans no further attempt at a watch. One that was planned since the claim stays. */
export async function updateWatchIdle(db: Queryable, watch: Planned): Promise<void> {
  await updateIdle(db, watch);
}
