/** How jobs of one kind are done: how often, for how long, how many at a time. */
export interface TaskRules {
  /** Kebab case, unique in its service, e.g. `send-mail`. */
  readonly name: string;
  /** Seconds from the first failure to the second attempt, from the second to the third, …; the last one repeats. */
  readonly retrySeconds: readonly number[];
  /** Failed attempts after which a job has failed for good. Default: it is tried for ever. */
  readonly mostAttempts?: number;
  /** After so many seconds the signal of an attempt aborts. Ten seconds later the attempt counts as failed. */
  readonly timeoutSeconds: number;
  /** Jobs of this kind that one process does at a time. */
  readonly atOnce: number;
  /** How often a process looks for jobs that nobody woke it for, in seconds: 0.5 or more. */
  readonly pollSeconds: number;
  /** A job whose key a waiting job of this kind has is not added. Default false: keys only help to find jobs. */
  readonly oneWaitingPerKey?: boolean;
  /** The payload holds personal data: it is removed when a job has failed for good. Default false. */
  readonly personal?: boolean;
}

/** A kind of job with its payload. Made by `defineTask`. */
export interface Task<Payload extends object> extends TaskRules {
  /** Answers the payload typed, or throws. Called when a job is added and when it is done. Payloads are JSON and hold no secrets. */
  readonly read: (payload: unknown) => Payload;
}

/** Declares a task. */
export function defineTask<Payload extends object>(task: Task<Payload>): Task<Payload> {
  return task;
}

export interface NewJob<Payload extends object> {
  readonly payload: Payload;
  /** A UUID. A job that exists already is not added again. Default: a random one. */
  readonly id?: string;
  readonly key?: string;
  /** Default: now. */
  readonly startAfter?: Date;
}

/** One attempt at a job. */
export interface Attempt {
  readonly jobId: string;
  /** Counted from 1. Attempts that ended with their process count too. */
  readonly number: number;
  /** When the job was added. */
  readonly addedAt: Date;
  /** Aborts when the time is over, the process ends, or another process has taken the job over. */
  readonly signal: AbortSignal;
}

/**
 * Does one job. When it resolves, the job is deleted. When it throws, the job is tried again, or after `PermanentJobError` has failed
 * for good. An attempt may happen twice: what must happen once is guarded where it is written.
 */
export type Handler<Payload extends object> = (payload: Payload, attempt: Attempt) => Promise<void>;

/** Thrown by a handler: no other attempt can succeed. */
export class PermanentJobError extends Error {}
