import type { Envelope } from './envelope.ts';

/** Sends mail: by SMTP, or to files. */
export interface Post {
  /** Rejects with PostError. */
  send(message: Buffer, envelope: Envelope): Promise<void>;
  /** Removes the files of mails with these ids. */
  withdraw(ids: readonly string[]): Promise<void>;
  /** Removes files that are over 30 days old. */
  purge(): Promise<void>;
}

/** refused: the server will never accept the mail. later: not accepted now, may be tried again. unknown: it may have been accepted. */
export type Outcome = 'refused' | 'later' | 'unknown';

/** A mail was not sent. The message contains no address. */
export class PostError extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}
