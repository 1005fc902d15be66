/** The part of an error that may be logged. It has no message: messages of the SDK and of parsers quote the conversation. */
export interface ErrorFacts {
  readonly type: string;
  /** HTTP status. */
  readonly status?: number;
  /** The system's code, e.g. `ECONNREFUSED`, of the error or of its cause. */
  readonly code?: string;
  /** Stack trace without the message. */
  readonly stack?: string;
}

/** A failed model call, for the log and never for the caller. */
export interface ModelFailure {
  readonly model: string;
  readonly errorCode: string;
  /** At most 200 characters. */
  readonly errorMessage: string;
  /** The error behind it, without any part of the conversation and without keys. */
  readonly cause: ErrorFacts;
}
