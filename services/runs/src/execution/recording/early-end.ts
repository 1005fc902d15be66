import type { Failure } from '@agentmesh/proto/runs/v1';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';

/** The end of an attempt that is stopped from outside. */
export interface Stop {
  readonly outcome: AttemptEnd_Outcome;
  readonly errorCode: string;
  readonly errorMessage: string;
}

export const cancelled: Stop = {
  outcome: AttemptEnd_Outcome.CANCELLED,
  errorCode: 'CANCELLED',
  errorMessage: 'The run was cancelled.',
};

export const interruptedByRun: Stop = {
  outcome: AttemptEnd_Outcome.INTERRUPTED,
  errorCode: 'INTERRUPTED_BY_RUN',
  errorMessage: 'Another run of the session took the place of this one.',
};

/** The fields of an event that tell why its run has failed. */
export interface FailedEvent {
  readonly errorCode?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly interrupted?: boolean | undefined;
}

/**
 * The failure that an event with an error tells. ADK raises it in its clients, so streams repeat it behind the event. Undefined where the model itself
 * ended its answer, for example with `MAX_TOKENS`, or gave none: ADK's clients show such an event only. Undefined also for a run that was stopped.
 */
export function raisedFailure(event: FailedEvent): Pick<Failure, 'type' | 'message' | 'isTold'> | undefined {
  const { errorCode = '', errorMessage = '', finishReason, interrupted } = event;
  const isOfModel = errorCode === finishReason || errorCode === 'MODEL_RETURNED_NO_CONTENT';
  if (errorCode === '' || isOfModel || interrupted === true) return undefined;
  return { type: errorCode, message: errorMessage, isTold: true };
}
