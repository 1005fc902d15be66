/** Rules for jobs of one kind: retries, time limit, concurrency. */
export interface TaskRules {
  /** Kebab case, unique in its service, e.g. `send-mail`. */
  readonly name: string;
  /** Pauses in seconds: from the first failure to the second attempt, from the second to the third, and so on. The last one repeats. */
  readonly retrySeconds: readonly number[];
  /** Number of failed attempts after which a job has failed for good. Default: it is retried for ever. */
  readonly mostAttempts?: number;
  /** Time limit of an attempt in seconds. Then it has failed: its signal aborts, and the outcome of a handler that goes on is ignored. */
  readonly timeoutSeconds: number;
  /** Most jobs of this kind that one process does at the same time. */
  readonly atOnce: number;
  /** Most seconds between two polls for jobs that no `wake` announced. A service polls for all its tasks at once, as often as the shortest time says. */
  readonly pollSeconds: number;
  /** True: the payload has personal data and is removed when a job has failed for good. Default false. */
  readonly personal?: boolean;
}

/** A kind of job with its payload. Created by `defineTask`. */
export interface Task<Payload extends object> extends TaskRules {
  /** Returns the payload typed, or throws. Called when a job is added and when it is done. Payloads are JSON without secrets. */
  readonly read: (payload: unknown) => Payload;
}

/**
 * Declares a task. A job may be done twice, when its process dies behind the effect: make the effect repeatable, for example by an id in the payload.
 *
 *     export const sendInvoice = defineTask<{ invoiceId: string }>({
 *       name: 'send-invoice',
 *       read: (payload) => invoiceOf(payload),
 *       retrySeconds: [5, 60, 600],
 *       mostAttempts: 20,
 *       timeoutSeconds: 30,
 *       atOnce: 4,
 *       pollSeconds: 2,
 *     });
 *     await jobs.add(tx, sendInvoice, [{ payload: { invoiceId } }]);
 */
export function defineTask<Payload extends object>(task: Task<Payload>): Task<Payload> {
  return task;
}

export interface NewJob<Payload extends object> {
  readonly payload: Payload;
  /** A UUID. A job whose id exists already is not added again. Default: a random one. */
  readonly id?: string;
}

/** One attempt at a job. */
export interface Attempt {
  readonly jobId: string;
  /** Number of the attempt, from 1. Attempts that ended with their process count too. */
  readonly number: number;
  /** When the job was added. */
  readonly addedAt: Date;
  /** Aborts when the time limit is over, the process ends, the job is removed, or another process has taken it over. */
  readonly signal: AbortSignal;
}

/**
 * Does one job. When it resolves, the job is deleted. When it throws, the job is tried again, or after `PermanentJobError` has failed
 * for good. An attempt may happen twice: what must happen once is guarded where it is written.
 */
export type Handler<Payload extends object> = (payload: Payload, attempt: Attempt) => Promise<void>;

/** Thrown by a handler: no other attempt can succeed. */
export class PermanentJobError extends Error {}
