import type { RunStatus } from '@agentmesh/client';

/** Exit codes of the command. */
export const exitCode = { completed: 0, failed: 1, wrongUse: 2, waiting: 3, cancelled: 130 } as const;

/** The exit code for the end of a run. */
export function exitCodeOf(status: RunStatus): number {
  if (status === 'completed') return exitCode.completed;
  if (status === 'waiting') return exitCode.waiting;
  return status === 'cancelled' || status === 'interrupted' ? exitCode.cancelled : exitCode.failed;
}

/** A mistake of the person at the keyboard: told in one line, with what to type next. */
export class UsageError extends Error {}
