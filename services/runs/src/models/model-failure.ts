import type { ErrorFacts } from './ai-sdk/failure/loggable-error.ts';

/** A failed model call, for the log and never for the caller. */
export interface ModelFailure {
  readonly model: string;
  readonly errorCode: string;
  /** At most 200 characters. */
  readonly errorMessage: string;
  /** The error behind it, without any part of the conversation and without keys. */
  readonly cause: ErrorFacts;
}
