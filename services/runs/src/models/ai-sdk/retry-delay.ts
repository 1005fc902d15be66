import { APICallError } from '@ai-sdk/provider';
import { readVendorError } from './vendor-error.ts';

/** No retry begins later than this after the first attempt, in milliseconds. */
const retryWindowMs = 13_000;
const maxRetries = 4;
const baseDelayMs = 400;

/** How far a model call has come. */
export interface Progress {
  /** Attempts that failed before this one. */
  readonly attempt: number;
  readonly elapsedMs: number;
}

/**
 * How long to wait before the next attempt, in milliseconds; undefined when another one is of no use: the error is not
 * passing, the server wants a longer pause than the window has left, or there were enough.
 */
export function retryDelayMs(error: unknown, { attempt, elapsedMs }: Progress): number | undefined {
  if (attempt >= maxRetries || !isPassing(error)) return undefined;
  const backoffMs = baseDelayMs * 2 ** attempt * (0.75 + Math.random() / 2);
  const delayMs = retryAfterMs(error.responseHeaders ?? {}) ?? backoffMs;
  return elapsedMs + delayMs <= retryWindowMs ? delayMs : undefined;
}

function isPassing(error: unknown): error is APICallError {
  if (!APICallError.isInstance(error)) return false;
  if (error.statusCode === undefined || error.statusCode < 400) return error.isRetryable;
  if (error.statusCode === 429) return !isQuotaSpent(error);
  return error.statusCode >= 500;
}

function isQuotaSpent(error: APICallError): boolean {
  const vendor = readVendorError(error.data);
  return vendor?.code === 'insufficient_quota' || vendor?.type === 'insufficient_quota';
}

/** `retry-after-ms`, else `retry-after` in seconds or as a date. */
function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = readNumber(headers['retry-after-ms']);
  if (ms !== undefined) return ms;
  const text = headers['retry-after'];
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(text ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
