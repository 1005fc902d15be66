import { type CallFailure, readFailure } from './call-failure.ts';
import { retryAfterMs } from './retry-after.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { VendorError } from './vendor-error.ts';

/** Shortest time left for the last attempt, in milliseconds. */
const leastAttemptMs = 2_000;

/** Progress of a model call. */
export interface Progress {
  /** Number of attempts that failed before this one. */
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsedMs: number;
  readonly policy: RetryPolicy;
}

/**
 * Pause before the next attempt in milliseconds; undefined when there should be none: the error is permanent, the server wants
 * a longer pause than the policy or the time left permit, or there were enough attempts.
 */
export function retryDelayMs(error: unknown, { attempt, elapsedMs, policy }: Progress): number | undefined {
  const failure = readFailure(error);
  if (attempt >= policy.mostRetries || failure === undefined || !isPassing(failure, policy)) return undefined;
  const delayMs = retryAfterMs(failure) ?? policy.backoffMs(attempt);
  if (delayMs > policy.longestPauseMs) return undefined;
  return elapsedMs + delayMs <= policy.windowMs - leastAttemptMs ? delayMs : undefined;
}

function isPassing({ status, headers, vendor, isRetryable }: CallFailure, { statuses }: RetryPolicy): boolean {
  const told = headers['x-should-retry'];
  if (told === 'false' || isQuotaSpent(vendor)) return false;
  // A connection that broke may have a status below 400.
  if (statuses !== undefined && status !== undefined && status >= 400) return statuses.has(status);
  if (told === 'true' || isRetryable) return true;
  return status !== undefined && (status === 429 || status >= 500);
}

function isQuotaSpent(vendor: VendorError | undefined): boolean {
  return vendor?.code === 'insufficient_quota' || vendor?.type === 'insufficient_quota';
}
