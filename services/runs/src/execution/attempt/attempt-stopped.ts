import type { Leaving } from '@agentmesh/lib/wait';
import { isCancelling, isInterrupting, isLost } from '../../errors.ts';
import { cancelled, interruptedByRun, type Stop } from '../recording/early-end.ts';

/** Reason to stop an attempt from outside: it lost its turn, its run is being cancelled, another run takes its place, or another process goes on with it, because this one ends. */
export type StopCause = 'lost' | 'cancelled' | 'interrupted' | 'handed-over';

const messages: Readonly<Record<StopCause, string>> = {
  lost: 'The run was cancelled.',
  cancelled: 'The run was cancelled.',
  interrupted: 'Another run of the session took the place of this one.',
  'handed-over': 'Another process goes on with the run.',
};

/** The reason of an aborted attempt's signal. */
export class AttemptStopped extends Error {
  override readonly name = 'AttemptStopped';
  readonly stopCause: StopCause;

  constructor(stopCause: StopCause) {
    super(messages[stopCause]);
    this.stopCause = stopCause;
  }
}

/** How the run has to end: this process was told so, or an append was refused for it. Undefined when it is not being stopped. */
export function stopOf(error: unknown, { reason }: AbortSignal): Stop | undefined {
  const cause = reason instanceof AttemptStopped ? reason.stopCause : undefined;
  if (cause === 'interrupted' || isInterrupting(error)) return interruptedByRun;
  return cause === 'cancelled' || isCancelling(error) ? cancelled : undefined;
}

export function isHandedOver({ ended }: Pick<Leaving, 'ended'>): boolean {
  return ended instanceof AttemptStopped && ended.stopCause === 'handed-over';
}

export function hasLost(error: unknown): boolean {
  return isLost(error) || (error instanceof AttemptStopped && error.stopCause === 'lost');
}
