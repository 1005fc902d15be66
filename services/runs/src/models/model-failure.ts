import type { ErrorFacts } from './ai-sdk/failure/loggable-error.ts';

/** What went wrong with one model call; for the log, never for the caller. */
export interface ModelFailure {
  readonly model: string;
  readonly errorCode: string;
  /** At most 200 characters. */
  readonly errorMessage: string;
  /** What is behind it; holds no part of the conversation and no key. */
  readonly cause: ErrorFacts;
}
