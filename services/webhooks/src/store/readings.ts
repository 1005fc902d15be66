import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { MailboxKey, MailboxRow } from './mailboxes.ts';

const takeDue = createQuery<{ now: Date; lostBefore: Date; limit: number }, MailboxRow>({
  name: 'take-due-mailboxes',
  text: (param) => `with due as (
      select account_id, provider, mailbox from mailboxes
      where due_at <= ${param.now} and job_id is null limit ${param.limit} for update skip locked
    ), lost as (
      select account_id, provider, mailbox from mailboxes
      where job_id is not null and (held_until <= ${param.now} or held_until is null and job_added_at <= ${param.lostBefore})
      limit ${param.limit} for update skip locked
    )
    update mailboxes m set job_id = gen_random_uuid(), job_added_at = ${param.now}, held_until = null, wanted = wanted + 1
    from (select * from due union select * from lost) as taken
    where m.account_id = taken.account_id and m.provider = taken.provider and m.mailbox = taken.mailbox
    returning m.account_id, m.provider, m.mailbox, m.job_id`,
});

/**
 * Takes mailboxes that are due, those whose job no longer extends its lease, and those whose job was added before `lostBefore` and has not begun.
 * Answers them: add a job for each with its `job_id` in the same transaction.
 */
export const takeDueMailboxes = takeDue;

const selectLooks = createQuery<{ now: Date; limit: number }, MailboxRow>({
  name: 'select-mailboxes-to-look-at',
  text: (param) => `select distinct w.account_id, w.provider, w.mailbox from watches w
    left join mailboxes m on m.account_id = w.account_id and m.provider = w.provider and m.mailbox = w.mailbox
    where w.state = 'active' and w.look_at <= ${param.now} and m.job_id is null
      and (m.paused_until is null or m.paused_until <= ${param.now}) limit ${param.limit}`,
});

/** Mailboxes that have a watch whose look for missed mail is due, and no job. */
export async function selectMailboxesToLookAt(db: Queryable, now: Date, limit: number): Promise<MailboxKey[]> {
  const rows = await selectLooks(db, { now, limit });
  return rows.map(({ account_id: accountId, provider, mailbox }) => ({ accountId, provider, mailbox }));
}

/** The right to read a mailbox and write what was read. */
export interface Reading extends MailboxKey {
  readonly fence: bigint;
}

const begin = createQuery<
  MailboxKey & { jobId: string; heldUntil: Date },
  { fence: bigint; wanted: bigint; paused_until: Date }
>({
  name: 'begin-reading',
  text: (param) => `update mailboxes set fence = fence + 1, held_until = ${param.heldUntil}
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
      and job_id = ${param.jobId}
    returning fence, wanted, paused_until`,
});

/** Begins an attempt of a job: earlier attempts can write no more. Answers nothing when the mailbox has another job now, or none. */
export const beginReading = begin;

const extend = createQuery<Reading & { heldUntil: Date | null }>({
  name: 'extend-reading',
  text: (param) => `update mailboxes set held_until = ${param.heldUntil}
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
      and fence = ${param.fence} and job_id is not null`,
});

/** Extends the lease of an attempt. Null: the attempt has ended without a result, and the job queue makes the next one. */
export async function extendReading(db: Queryable, values: Parameters<typeof extend>[1]): Promise<void> {
  await extend(db, values);
}

const hold = createQuery<Reading, { wanted: bigint; paused_until: Date }>({
  name: 'hold-reading',
  text: (param) => `select wanted, paused_until from mailboxes
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
      and fence = ${param.fence} for update`,
});

/** Somebody else reads the mailbox now, or its account was deleted. */
export class ReadingLost extends Error {}

/** Locks the mailbox for the rest of the transaction. Throws ReadingLost when the attempt may write no more. */
export async function holdReading(db: Queryable, reading: Reading): Promise<{ wanted: bigint; pausedUntil: Date }> {
  const [row] = await hold(db, reading);
  if (row === undefined) throw new ReadingLost();
  return { wanted: row.wanted, pausedUntil: row.paused_until };
}

const end = createQuery<Reading & { wanted: bigint; dueAt: Date | null }, { fence: bigint }>({
  name: 'end-reading',
  text: (param) => `update mailboxes set job_id = null, job_added_at = null, held_until = null, due_at = ${param.dueAt}
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
      and fence = ${param.fence} and wanted = ${param.wanted}
    returning fence`,
});

/** Ends the job of a mailbox. Answers nothing when the mailbox was wanted again since `wanted` was read: then it has to be read again. */
export const endReading = end;

const pause = createQuery<MailboxKey & { until: Date }>({
  name: 'pause-mailbox',
  text: (param) => `update mailboxes set paused_until = greatest(paused_until, ${param.until})
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}`,
});

/** Makes no calls for a mailbox until a time that its provider has named. */
export async function pauseMailbox(db: Queryable, values: Parameters<typeof pause>[1]): Promise<void> {
  await pause(db, values);
}

const plan = createQuery<MailboxKey & { now: Date; dueAt: Date }, { is_due: boolean }>({
  name: 'plan-mailbox',
  text: (param) => `update mailboxes set wanted = wanted + 1, due_at = least(due_at, ${param.dueAt}) 
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
    returning exists (
      select 1 from logs where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
        and next_attempt_at <= ${param.now}
    ) as is_due`,
});

/** Plans to read a mailbox at a time. Answers the mailbox when it has logs that are due already. */
export async function planMailbox(db: Queryable, values: Parameters<typeof plan>[1]): Promise<MailboxKey[]> {
  const { accountId, provider, mailbox } = values;
  const [row] = await plan(db, values);
  return row?.is_due === true ? [{ accountId, provider, mailbox }] : [];
}
