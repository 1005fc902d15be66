import type { Job } from '@agentmesh/lib/service';
import type { Processor } from '../processing/processor.ts';
import { settleRun } from '../processing/settle-run.ts';
import { wantMailboxes } from '../store/mailboxes.ts';
import { selectMailboxesToLookAt, takeDueMailboxes } from '../store/readings.ts';
import { takeLogsToCheck } from '../store/running-logs.ts';
import { addReadingJobs, readMailboxTask } from './read-mailbox-task.ts';

const pauseMs = 1_000;
const batchSize = 100;
/** A job that was added so long ago and has not ended seems to be lost. */
const lostMs = 1_800_000;
/** Milliseconds between two reads of the ledger for a run whose end was not announced. */
const checkMs = 30_000;

/** Adds jobs for mailboxes that are due, and settles runs whose end was not announced. */
export async function keepProcessing(processor: Processor): Promise<void> {
  await addDue(processor);
  await checkRuns(processor);
}

async function addDue({ db, jobs, clock }: Processor): Promise<void> {
  const now = clock.now();
  const lostBefore = new Date(now.getTime() - lostMs);
  const added = await db.transaction(async (tx) => {
    const due = await takeDueMailboxes(tx, { now, lostBefore, limit: batchSize });
    const looks = await wantMailboxes(tx, await selectMailboxesToLookAt(tx, now, batchSize), now);
    await addReadingJobs(tx, jobs, [...due, ...looks]);
    return due.length + looks.length;
  });
  if (added > 0) jobs.wake(readMailboxTask);
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

/** The job that runs `keepProcessing` every second. */
export function createKeepProcessing(processor: Processor): Job {
  return { pauseMs, failure: 'the due mailboxes cannot be read', run: () => keepProcessing(processor) };
}
