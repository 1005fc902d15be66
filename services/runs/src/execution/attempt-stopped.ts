/** Reason to stop an attempt from outside: it lost its turn, or the process ends. */
export type StopCause = 'lost' | 'shutdown';

/** The reason of an aborted attempt's signal. */
export class AttemptStopped extends Error {
  override readonly name = 'AttemptStopped';
  readonly stopCause: StopCause;

  constructor(stopCause: StopCause) {
    super(stopCause === 'lost' ? 'The run was cancelled.' : 'The service was shut down before the run ended.');
    this.stopCause = stopCause;
  }
}
