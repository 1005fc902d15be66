import { randomUUID, type UUID } from 'node:crypto';
import { createQuery, type Transaction } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';

/** Identity of a mailbox that an account has connected. */
export interface MailboxKey {
  readonly accountId: string;
  readonly provider: Provider;
  /** Address in lower case. */
  readonly mailbox: string;
}

export interface MailboxRow {
  readonly account_id: string;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly job_id: UUID;
}

const want = createQuery<
  { accountId: string; providers: string[]; mailboxes: string[]; jobIds: string[]; now: Date },
  MailboxRow
>({
  name: 'want-mailboxes',
  text: (param) => `insert into mailboxes as m (account_id, provider, mailbox, job_id, job_added_at, wanted)
    select ${param.accountId}, provider, mailbox, job_id, ${param.now}, 1
    from unnest(${param.providers}::text[], ${param.mailboxes}::text[], ${param.jobIds}::uuid[]) as wanted (provider, mailbox, job_id)
    on conflict (account_id, provider, mailbox) do update set wanted = m.wanted + 1,
      job_added_at = case when m.job_id is null then excluded.job_added_at else m.job_added_at end,
      job_id = coalesce(m.job_id, excluded.job_id)
    returning account_id, provider, mailbox, job_id`,
});

/** Asks for mailboxes to be read. Answers those that have no job yet: add one with their `job_id` in the same transaction. */
export async function wantMailboxes(tx: Transaction, keys: readonly MailboxKey[], now: Date): Promise<MailboxRow[]> {
  const distinct = new Map(keys.map((key) => [JSON.stringify([key.accountId, key.provider, key.mailbox]), key]));
  // All transactions lock mailboxes in the same order, so that they cannot deadlock.
  const sorted = [...distinct].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
  const added: MailboxRow[] = [];
  for (const [accountId, some] of Map.groupBy(sorted, (key) => key.accountId)) {
    const jobIds = some.map(() => randomUUID());
    const providers = some.map(({ provider }) => provider);
    const rows = await want(tx, { accountId, providers, mailboxes: some.map(({ mailbox }) => mailbox), jobIds, now });
    added.push(...rows.filter(({ job_id: jobId }) => jobIds.includes(jobId)));
  }
  return added;
}
