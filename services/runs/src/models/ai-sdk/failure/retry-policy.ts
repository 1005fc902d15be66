import type { HttpRetryOptions } from '@google/genai';

/** When a failed call is made again. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly mostRetries: number;
  /** Pause in milliseconds after a number of retries, unless the server asks for one. */
  readonly backoffMs: (retries: number) => number;
  /** Longest pause in milliseconds. A server that asks for a longer one is not asked again. */
  readonly longestPauseMs: number;
  /** Deadline in milliseconds for all attempts after the first, unless the model has begun to answer. Infinity: that of the run. */
  readonly windowMs: number;
  /** HTTP statuses that are tried again. Absent: 408, 409, 429 and 5xx. */
  readonly statuses?: ReadonlySet<number> | undefined;
}

/** Less than the 15 s that callers are promised; the rest is for the transport to them. */
const usualWindowMs = 14_000;
/** More are of no use within that time. */
const usualRetries = 4;
const usualBaseMs = 400;

export interface UsualRetries {
  /** Attempts after the first. Default: four. */
  readonly mostRetries?: number | undefined;
  /** Default: 14 s. */
  readonly windowMs?: number | undefined;
}

/** The policy of an agent that sets none. */
export function usualPolicy({ mostRetries = usualRetries, windowMs = usualWindowMs }: UsualRetries = {}): RetryPolicy {
  const backoffMs = (retries: number) => usualBaseMs * 2 ** retries * (0.75 + Math.random() / 2);
  return { mostRetries, backoffMs, longestPauseMs: windowMs, windowMs };
}

/** Bounds of each option, and what it is when it is absent: Gemini's SDK documents these. */
const options = {
  attempts: { usual: 5, least: 0, most: 10 },
  initialDelay: { usual: 1, least: 0, most: 60 },
  maxDelay: { usual: 60, least: 0, most: 300 },
  expBase: { usual: 2, least: 1, most: 10 },
  jitter: { usual: 1, least: 0, most: 60 },
} as const;

/**
 * The policy of `generate_content_config.http_options.retry_options`, which may come from code: values out of bounds are brought within them. Attempts may
 * take as long as the run may.
 */
export function policyOf(given: HttpRetryOptions, mostRetries = options.attempts.usual - 1): RetryPolicy {
  const attempts = valueOf(given, 'attempts', mostRetries + 1);
  const [initial, longest] = [valueOf(given, 'initialDelay'), valueOf(given, 'maxDelay')];
  const [base, jitter] = [valueOf(given, 'expBase'), valueOf(given, 'jitter')];
  const pause = (retries: number) => Math.min(initial * base ** retries + Math.random() * jitter, longest);
  return {
    mostRetries: Math.max(Math.floor(attempts) - 1, 0),
    backoffMs: (retries) => pause(retries) * 1_000,
    longestPauseMs: longest * 1_000,
    windowMs: Infinity,
    statuses: Array.isArray(given.httpStatusCodes) ? new Set(given.httpStatusCodes) : undefined,
  };
}

function valueOf(given: HttpRetryOptions, name: keyof typeof options, usual: number = options[name].usual): number {
  const value: unknown = given[name];
  const { least, most } = options[name];
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, least), most) : usual;
}
