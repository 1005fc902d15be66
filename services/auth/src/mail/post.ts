import type { Envelope } from './envelope.ts';

/** A way for mail to leave. */
export interface Post {
  /** Rejects with PostError. */
  send(message: Buffer, envelope: Envelope): Promise<void>;
  /** Removes what it keeps of mails, by their ids. */
  withdraw(ids: readonly string[]): Promise<void>;
  /** Removes what it has kept for over 30 days. */
  purge(): Promise<void>;
}

/** refused: for good. later: not taken, may be tried again. unknown: it may have been taken. */
export type Outcome = 'refused' | 'later' | 'unknown';

/** Why a mail did not leave. Its message names no address. */
export class PostError extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}
