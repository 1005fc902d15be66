import { type CallFailure, readFailure } from './call-failure.ts';
import { retryAfterMs } from './retry-after.ts';
import type { VendorError } from './vendor-error.ts';

/** Shortest time left for the last attempt, in milliseconds. */
const leastAttemptMs = 2_000;
/** More are of no use within the deadline. */
const usualRetries = 4;
const baseDelayMs = 400;

/** Progress of a model call. */
export interface Progress {
  /** Number of attempts that failed before this one. */
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsedMs: number;
  /** Deadline for all attempts after the first, unless the model has begun to answer. */
  readonly windowMs: number;
  /** Absent: four. */
  readonly mostRetries?: number | undefined;
}

/**
 * Pause before the next attempt in milliseconds; undefined when there should be none: the error is permanent, the server wants
 * a longer pause than the time left, or there were enough attempts.
 */
export function retryDelayMs(error: unknown, progress: Progress): number | undefined {
  const { attempt, elapsedMs, windowMs, mostRetries = usualRetries } = progress;
  const failure = readFailure(error);
  if (attempt >= mostRetries || failure === undefined || !isPassing(failure)) return undefined;
  const backoffMs = baseDelayMs * 2 ** attempt * (0.75 + Math.random() / 2);
  const delayMs = retryAfterMs(failure) ?? backoffMs;
  return elapsedMs + delayMs <= windowMs - leastAttemptMs ? delayMs : undefined;
}

function isPassing({ status, headers, vendor, isRetryable }: CallFailure): boolean {
  const told = headers['x-should-retry'];
  if (told === 'false' || isQuotaSpent(vendor)) return false;
  if (told === 'true' || isRetryable) return true;
  return status !== undefined && (status === 429 || status >= 500);
}

function isQuotaSpent(vendor: VendorError | undefined): boolean {
  return vendor?.code === 'insufficient_quota' || vendor?.type === 'insufficient_quota';
}
