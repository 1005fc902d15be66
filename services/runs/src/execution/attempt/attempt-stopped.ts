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
