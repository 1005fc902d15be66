import { RunStatus } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import type { RunName } from './waiting-runs.ts';

const cancelled = { type: 'RunCancelled', message: 'The run was cancelled.' };
const moved = { type: 'RunMoved', message: 'The run was executed elsewhere. Read the session again.' };

/** Failures of viewers by the status of a run that this process cannot start any more. */
const failures = new Map([
  [RunStatus.CANCELLED, cancelled],
  [RunStatus.INTERRUPTED, cancelled],
  [RunStatus.COMPLETED, moved],
  [RunStatus.FAILED, moved],
  [RunStatus.WAITING, moved],
]);

/** Ends the wait for a run that has ended by its status, and tells its viewer. False for a run that may still get its turn here. */
export function leaveEnded({ waiting }: Pick<Context, 'waiting'>, run: RunName, status: RunStatus): boolean {
  const failure = failures.get(status);
  if (failure === undefined) return false;
  waiting.take(run)?.viewer?.fail(failure);
  return true;
}

/** Ends the wait for a run that this process cannot start any more: it has ended, or another process has it. */
export function leave(context: Pick<Context, 'waiting'>, run: RunName, status: RunStatus): void {
  if (!leaveEnded(context, run, status)) context.waiting.take(run)?.viewer?.fail(moved);
}
