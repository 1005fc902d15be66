import type { Handler } from '@agentmesh/lib/jobs';
import type { ReadMailboxJob } from '../read-mailbox-task.ts';
import { selectDueLogs, selectMailboxLoad } from '../../store/due-logs.ts';
import { beginReading, endReading, holdReading, type Reading, ReadingLost } from '../../store/readings.ts';
import { keepReading, leaseEnd } from './keep-reading.ts';
import { lookAtWatches } from './look-at-watches.ts';
import { processLog } from './process-log.ts';
import { StartCounts } from './start-counts.ts';
import type { Processor } from './processor.ts';

/** Calls to a provider for one mailbox at a time: Microsoft allows four. */
const atOnce = 3;
/** Runs of one mailbox at a time. The others wait, so that a model that hangs does not get everything. */
const mostRuns = 10;
const batchSize = 30;
/** Milliseconds until a mailbox that has `mostRuns` runs is read again, unless one of them ends before. */
const saturatedMs = 30_000;

/** Reads one mailbox until nothing is due: looks for missed mail, then fetches mail and starts runs. */
export function createMailboxReader(processor: Processor): Handler<ReadMailboxJob> {
  return async (key, { jobId, signal }) => {
    const [begun] = await beginReading(processor.db, { ...key, jobId, heldUntil: leaseEnd(processor) });
    if (begun === undefined) return;
    const reading = { ...key, fence: begun.fence };
    using lease = keepReading(processor, reading);
    try {
      while (!(await readOnce(processor, reading, signal)));
    } catch (error) {
      if (error instanceof ReadingLost) return;
      await lease.release();
      throw error;
    }
  };
}

/** Reads the mailbox, and ends the job. Answers false when something was asked for meanwhile. */
async function readOnce(processor: Processor, reading: Reading, signal: AbortSignal): Promise<boolean> {
  const { db, clock } = processor;
  const { wanted, pausedUntil } = await db.transaction((tx) => holdReading(tx, reading));
  const isPaused = (until: Date): boolean => until > clock.now();
  if (!isPaused(pausedUntil)) {
    await lookAtWatches(processor, reading, signal);
    await processDue(processor, reading, signal);
  }
  return db.transaction(async (tx) => {
    const { pausedUntil: until } = await holdReading(tx, reading);
    const { next, running } = await selectMailboxLoad(tx, reading);
    const earliest = running >= mostRuns ? new Date(clock.now().getTime() + saturatedMs) : until;
    const dueAt = next === null ? null : new Date(Math.max(next.getTime(), earliest.getTime()));
    return (await endReading(tx, { ...reading, wanted, dueAt })).length > 0;
  });
}

async function processDue(processor: Processor, reading: Reading, signal: AbortSignal): Promise<void> {
  const { db, clock } = processor;
  for (;;) {
    signal.throwIfAborted();
    const { running } = await selectMailboxLoad(db, reading);
    const { pausedUntil } = await db.transaction((tx) => holdReading(tx, reading));
    if (pausedUntil > clock.now()) return;
    let slots = Math.max(0, mostRuns - running);
    const takeSlot = (): boolean => slots-- > 0;
    const due = await selectDueLogs(db, { ...reading, now: clock.now(), withPrepared: slots > 0, limit: batchSize });
    if (due.length === 0) return;
    const batch = { starts: new StartCounts(), limited: new Set<number>() };
    const waiting = [...due];
    const onPaused = (): void => void waiting.splice(0);
    const work = async (): Promise<void> => {
      for (let log = waiting.shift(); log !== undefined; log = waiting.shift()) {
        await processLog(processor, log, { reading, ...batch, takeSlot, onPaused, signal });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }
}
