import type { Transaction } from '@agentmesh/lib/pg';
import type { Job } from '@agentmesh/lib/service';
import { type DueWork, lostMs } from '../due-work.ts';
import { checkMs, type Processor } from '../mail/processing/processor.ts';
import { settleRun } from '../mail/processing/settle-run.ts';
import { type MailboxRow, wantMailboxes } from '../store/mailboxes.ts';
import { selectMailboxesToLookAt, takeDueMailboxes } from '../store/readings.ts';
import { takeLogsToCheck } from '../store/running-logs.ts';
import { addReadingJobs, readMailboxTask } from '../mail/read-mailbox-task.ts';

const pauseMs = 1_000;
const batchSize = 100;

/** Adds jobs for mailboxes that are due, and settles runs whose end was not announced. */
export async function keepProcessing(processor: Processor): Promise<void> {
  await addDue(processor);
  await checkRuns(processor);
}

async function addDue({ db, jobs, clock }: Processor): Promise<void> {
  const now = clock.now();
  const lostBefore = new Date(now.getTime() - lostMs);
  const add = async (tx: Transaction, rows: readonly MailboxRow[]): Promise<number> => {
    await addReadingJobs(tx, jobs, rows);
    return rows.length;
  };
  // Two transactions: one that holds the rows that it found due must not wait for others, which another replica may hold.
  const due = await db.transaction(async (tx) =>
    add(tx, await takeDueMailboxes(tx, { now, lostBefore, limit: batchSize })),
  );
  const looks = await db.transaction(async (tx) =>
    add(tx, await wantMailboxes(tx, await selectMailboxesToLookAt(tx, now, batchSize), now)),
  );
  if (due + looks > 0) jobs.wake(readMailboxTask);
}

async function checkRuns(processor: Processor): Promise<void> {
  const { db, clock, log } = processor;
  const now = clock.now();
  const nextCheckAt = new Date(now.getTime() + checkMs);
  for (const running of await takeLogsToCheck(db, { now, nextCheckAt, limit: batchSize })) {
    // One run whose session cannot be read does not hold up the others.
    await settleRun(processor, running).catch((err: unknown) =>
      log.info({ err, logId: running.id }, 'a run cannot be read'),
    );
  }
}

/** The job that runs `keepProcessing` every second while something is due. */
export function createKeepProcessing(processor: Processor, due: DueWork): Job {
  const failure = 'the due mailboxes cannot be read';
  return { pauseMs, failure, run: async () => (await due.has('mail')) && keepProcessing(processor) };
}
