import type { Job } from '@agentmesh/lib/service';
import type { Schedules } from '../schedules/schedules.ts';
import { runTick } from '../schedules/run-tick.ts';
import { takeDueSchedules } from '../store/schedules.ts';

const pauseMs = 1_000;
const batchSize = 16;
/** An attempt at a tick has ended by then, or its process has. */
const claimMs = 30_000;

/** Acts on the ticks that are due. Any number of replicas may do this at once. */
export async function keepSchedules(schedules: Schedules): Promise<void> {
  const { db, clock, log, draining } = schedules;
  while (!draining.aborted) {
    const now = clock.now();
    const due = await takeDueSchedules(db, {
      now,
      claimedUntil: new Date(now.getTime() + claimMs),
      limit: batchSize,
    });
    // One schedule that cannot be run does not hold up the others.
    await Promise.all(
      due.map((row) =>
        runTick(schedules, row).catch((err: unknown) =>
          log.warn({ err, scheduleId: row.id }, 'a schedule cannot be run'),
        ),
      ),
    );
    if (due.length === 0) return;
  }
}

/** The job that runs `keepSchedules` every second. */
export function createKeepSchedules(schedules: Schedules): Job {
  return { pauseMs, failure: 'the due schedules cannot be read', run: () => keepSchedules(schedules) };
}
