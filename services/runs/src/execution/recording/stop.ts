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
