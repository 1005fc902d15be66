import { createQuery, type Database, lockKey, type Queryable } from '@agentmesh/lib/pg';
import { type MailboxName, watchColumns, type WatchRow } from './watches.ts';

/** A replica's claim on watches: until `until` nobody else calls their provider about them. */
export interface Claim {
  /** UUID of the claim. */
  readonly claim: string;
  readonly now: Date;
  readonly until: Date;
}

/** A replica claims at most so many watches of one account at once: Microsoft allows four calls at a time for each mailbox. */
const mostOfAccount = 2;

const columnsOf = (table: string): string =>
  watchColumns
    .split(',')
    .map((column) => `${table}.${column.trim()}`)
    .join(', ');

/** Claims watches whose next attempt is due, at most `limit`, the longest due first. */
export const claimDueWatches = createQuery<Claim & { limit: number }, WatchRow>({
  name: 'claim-due-watches',
  text: (param) => `with candidates as (
      select account_id, id, row_number() over (partition by account_id order by next_attempt_at) as number
      from (
        select account_id, id, next_attempt_at from watches
        where next_attempt_at <= ${param.now} and claimed_until <= ${param.now} order by next_attempt_at limit 200
      ) as due
    ), locked as (
      select w.account_id, w.id from watches w join candidates c on c.account_id = w.account_id and c.id = w.id
      where c.number <= ${mostOfAccount} and w.next_attempt_at <= ${param.now} and w.claimed_until <= ${param.now}
      order by w.next_attempt_at limit ${param.limit} for no key update of w skip locked
    )
    update watches w set claim = ${param.claim}, claimed_until = ${param.until} from locked
    where w.account_id = locked.account_id and w.id = locked.id
    returning ${columnsOf('w')}`,
});

const claimOne = createQuery<Claim & { accountId: string; id: bigint }, WatchRow>({
  name: 'claim-watch',
  text: (param) => `update watches set claim = ${param.claim}, claimed_until = ${param.until}
    where account_id = ${param.accountId} and id = ${param.id} and claimed_until <= ${param.now} returning ${watchColumns}`,
});

const claimMailbox = createQuery<Claim & MailboxName, WatchRow>({
  name: 'claim-mailbox',
  text: (param) => `with free as (
      select account_id, id from watches
      where serves_mailbox and provider = ${param.provider} and mailbox = ${param.mailbox} and claimed_until <= ${param.now} and not exists (
        select 1 from watches where serves_mailbox and provider = ${param.provider} and mailbox = ${param.mailbox} and claimed_until > ${param.now}
      ) order by account_id, id for no key update
    )
    update watches w set claim = ${param.claim}, claimed_until = ${param.until} from free f
    where w.account_id = f.account_id and w.id = f.id returning ${columnsOf('w')}`,
});

/**
 * Claims one watch; with the watches that other accounts have of the same mailbox when one serves the mailbox, because they are one at the provider. Returns it, or
 * undefined while somebody else has claimed one of them.
 */
export async function claimWatch(
  db: Database,
  { account_id: accountId, id, provider, mailbox, serves_mailbox: servesMailbox }: WatchRow,
  claim: Claim,
): Promise<WatchRow | undefined> {
  if (!servesMailbox) return (await claimOne(db, { ...claim, accountId, id }))[0];
  return db.transaction(async (tx) => {
    await lockKey(tx, 'mailbox', mailbox);
    const rows = await claimMailbox(tx, { ...claim, provider, mailbox });
    const claimed = rows.find((row) => row.account_id === accountId && row.id === id);
    // It is gone, and nobody would give the others back.
    if (claimed === undefined && rows.length > 0) await releaseWatches(tx, claim.claim);
    return claimed;
  });
}

const release = createQuery<{ claim: string }>({
  name: 'release-watches',
  text: (param) => `with held as (
      select account_id, id from watches where claim = ${param.claim} order by account_id, id for no key update
    )
    update watches w set claim = null, claimed_until = '-infinity' from held h where w.account_id = h.account_id and w.id = h.id`,
});

/** Gives back all watches of a claim that are still held. */
export async function releaseWatches(db: Queryable, claim: string): Promise<void> {
  await release(db, { claim });
}
