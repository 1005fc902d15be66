import { defineTask, type Jobs } from '@agentmesh/lib/jobs';
import type { Transaction } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';
import { type MailboxKey, type MailboxRow, wantMailboxes } from '../store/mailboxes.ts';

/** Names the mailbox that a job reads. The id of the job is `mailboxes.job_id`. */
export interface ReadMailboxJob {
  readonly accountId: string;
  readonly provider: Provider;
  readonly mailbox: string;
}

/** Reads a mailbox: finds missed mail, fetches mail, and starts runs. There is at most one job for each mailbox. */
export const readMailboxTask = defineTask<ReadMailboxJob>({
  name: 'read-mailbox',
  read: readPayload,
  retrySeconds: [1, 5, 30, 60],
  timeoutSeconds: 300,
  atOnce: 8,
  pollSeconds: 8,
  personal: true,
});

function readPayload(payload: unknown): ReadMailboxJob {
  const { accountId, provider, mailbox } = (payload ?? {}) as Record<string, unknown>;
  if (typeof accountId !== 'string' || typeof mailbox !== 'string') throw new TypeError('A job names no mailbox.');
  if (typeof provider !== 'string') throw new TypeError('A job names no mail provider.');
  return { accountId, provider, mailbox };
}

interface Wanted {
  readonly jobs: Jobs;
  /** May have repetitions. */
  readonly mailboxes: readonly MailboxKey[];
  readonly now: Date;
}

/** Asks for mailboxes to be read, and adds the jobs that are missing. In the transaction of what is to be read. */
export async function addReadings(tx: Transaction, { jobs, mailboxes, now }: Wanted): Promise<void> {
  await addReadingJobs(tx, jobs, await wantMailboxes(tx, mailboxes, now));
}

/** Adds the jobs of mailboxes that have an id of a job, but no job yet. */
export async function addReadingJobs(tx: Transaction, jobs: Jobs, rows: readonly MailboxRow[]): Promise<void> {
  const added = rows.map(({ account_id: accountId, provider, mailbox, job_id: id }) => ({
    id,
    payload: { accountId, provider, mailbox },
  }));
  await jobs.add(tx, readMailboxTask, added);
}
