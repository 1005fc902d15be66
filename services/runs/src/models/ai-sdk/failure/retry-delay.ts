import { type CallFailure, readFailure } from './call-failure.ts';
import { retryAfterMs } from './retry-after.ts';
import type { VendorError } from './vendor-error.ts';

/** Least time for the last attempt, in milliseconds. */
const leastAttemptMs = 2_000;
const maxRetries = 4;
const baseDelayMs = 400;

/** How far a model call has come. */
export interface Progress {
  /** Attempts that failed before this one. */
  readonly attempt: number;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
  /** By when attempts after the first one end, unless the model has begun to answer. */
  readonly windowMs: number;
}

/**
 * How long to wait before the next attempt, in milliseconds; undefined when another one is of no use: the error is not
 * passing, the server wants a longer pause than the window has left, or there were enough.
 */
export function retryDelayMs(error: unknown, { attempt, elapsedMs, windowMs }: Progress): number | undefined {
  const failure = readFailure(error);
  if (attempt >= maxRetries || failure === undefined || !isPassing(failure)) return undefined;
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
