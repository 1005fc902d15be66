import { RunStatus } from '@agentmesh/proto/sessions/v1';
import type { RunName, WaitingRuns } from './waiting-runs.ts';

const cancelled = { type: 'RunCancelled', message: 'The run was cancelled.' };

/** Statuses of runs that were cancelled, or whose process died. */
const calledOff = new Set([RunStatus.CANCELLED, RunStatus.INTERRUPTED]);
/** Statuses of runs that another process has executed to an end. */
const executed = new Set([RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.WAITING]);

interface Waiting {
  readonly waiting: WaitingRuns;
}

/**
 * Ends the wait for a run that has ended by its status. Its viewer is told that it was cancelled, or goes on with the events that another
 * process has stored. False for a run that may still get its turn here.
 */
export function leaveEnded(context: Waiting, run: RunName, status: RunStatus): boolean {
  if (!calledOff.has(status) && !executed.has(status)) return false;
  leave(context, run, status);
  return true;
}

/** Ends the wait for a run that this process cannot start any more: it has ended, or another process has it. */
export function leave({ waiting }: Waiting, run: RunName, status: RunStatus): void {
  const viewer = waiting.take(run)?.viewer;
  if (calledOff.has(status)) viewer?.fail(cancelled);
  else viewer?.leaveToOther();
}
