import { APICallError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retryDelayMs } from './retry-delay.ts';
import { policyOf, usualPolicy } from './retry-policy.ts';

const policy = usualPolicy();

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

function failed(statusCode: number, responseHeaders: Record<string, string> = {}, data?: unknown): APICallError {
  return new APICallError({ message: 'no', url: 'http://x', requestBodyValues: {}, statusCode, responseHeaders, data });
}

describe('retries', () => {
  test('begin within 12 s for any length of the attempts and any request of the server', () => {
    const headers = fc.constantFrom(
      {},
      { 'retry-after': '3' },
      { 'retry-after-ms': '4000' },
      { 'retry-after': 'soon' },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(headers, fc.nat(8000)), { minLength: 1 }), (attempts) => {
        let elapsedMs = 0;
        for (const [attempt, [responseHeaders, tookMs]] of attempts.entries()) {
          elapsedMs += tookMs;
          const delayMs = retryDelayMs(failed(503, responseHeaders), { attempt, elapsedMs, policy });
          if (delayMs === undefined) return;
          elapsedMs += delayMs;
          expect(elapsedMs).toBeLessThanOrEqual(12_000);
        }
      }),
    );
  });

  test('wait for the time that the server gives, in milliseconds, seconds or as a date', () => {
    const progress = { attempt: 0, elapsedMs: 0, policy };
    expect(retryDelayMs(failed(429, { 'retry-after-ms': '7', 'retry-after': '2' }), progress)).toBe(7);
    expect(retryDelayMs(failed(429, { 'retry-after': '2' }), progress)).toBe(2000);
    const date = new Date(Date.now() + 5000).toUTCString();
    expect(retryDelayMs(failed(503, { 'retry-after': date }), progress)).toBeGreaterThan(3000);
    expect(retryDelayMs(failed(503, { 'retry-after': new Date(0).toUTCString() }), progress)).toBe(0);
  });

  test('wait until a used-up limit is reset, or for the time that Google gives', () => {
    const progress = { attempt: 0, elapsedMs: 0, policy };
    const reset = new Date(Date.now() + 4000).toISOString();
    const anthropic = {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': reset,
      'anthropic-ratelimit-input-tokens-remaining': '100',
      'anthropic-ratelimit-input-tokens-reset': new Date(Date.now() + 60_000).toISOString(),
    };
    expect(retryDelayMs(failed(429, anthropic), progress)).toBe(4000);
    const openAi = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m2.5s' };
    expect(retryDelayMs(failed(429, openAi), progress)).toBeUndefined();
    expect(retryDelayMs(failed(429, { ...openAi, 'x-ratelimit-reset-tokens': '20ms' }), progress)).toBe(20);
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2.5s' }];
    const data = { error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED', details } };
    expect(retryDelayMs(failed(429, {}, data), progress)).toBe(2500);
  });

  test("follow the server's statement whether to retry", () => {
    const progress = { attempt: 0, elapsedMs: 0, policy };
    expect(retryDelayMs(failed(503, { 'x-should-retry': 'false' }), progress)).toBeUndefined();
    expect(retryDelayMs(failed(409, { 'x-should-retry': 'true' }), progress)).toBeGreaterThan(0);
    expect(retryDelayMs({ message: 'busy', type: 'overloaded_error', statusCode: 529 }, progress)).toBeGreaterThan(0);
  });

  test('are not made when the server wants a longer pause than there is time', () => {
    expect(retryDelayMs(failed(429, { 'retry-after': '60' }), { attempt: 0, elapsedMs: 0, policy })).toBeUndefined();
  });

  test('are few, and only for temporary errors', () => {
    expect(retryDelayMs(failed(503), { attempt: 4, elapsedMs: 0, policy })).toBeUndefined();
    for (const error of [failed(400), failed(404), failed(200), new Error('bug')]) {
      expect(retryDelayMs(error, { attempt: 0, elapsedMs: 0, policy })).toBeUndefined();
    }
  });
});

describe('the retry_options of an agent', () => {
  const first = { attempt: 0, elapsedMs: 0 };

  test('set the number of attempts, the pauses and the statuses', () => {
    const own = policyOf({ attempts: 3, initialDelay: 2, expBase: 3, jitter: 0, maxDelay: 5, httpStatusCodes: [503] });
    const at = (attempt: number) => retryDelayMs(failed(503), { attempt, elapsedMs: 600_000, policy: own });
    expect([0, 1, 2].map(at)).toEqual([2_000, 5_000, undefined]);
    expect(retryDelayMs(failed(429), { ...first, policy: own })).toBeUndefined();
    expect(retryDelayMs(failed(429, { 'x-should-retry': 'true' }), { ...first, policy: own })).toBeUndefined();
    const lost = new APICallError({ message: 'no', url: 'http://x', requestBodyValues: {}, isRetryable: true });
    expect(retryDelayMs(lost, { ...first, policy: own })).toBe(2_000);
  });

  test('wait as long as the server asks, and not at all when that is longer than max_delay', () => {
    const own = policyOf({ maxDelay: 40 });
    expect(retryDelayMs(failed(429, { 'retry-after': '30' }), { ...first, policy: own })).toBe(30_000);
    expect(retryDelayMs(failed(429, { 'retry-after': '41' }), { ...first, policy: own })).toBeUndefined();
  });

  test('are kept within bounds, whatever code gives', () => {
    const anything = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constant(null)) as fc.Arbitrary<number>;
    const names = ['attempts', 'initialDelay', 'maxDelay', 'expBase', 'jitter'] as const;
    const given = fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
    fc.assert(
      fc.property(given, (options) => {
        const { mostRetries, backoffMs } = policyOf(options);
        expect(mostRetries).toBeGreaterThanOrEqual(0);
        expect(mostRetries).toBeLessThanOrEqual(9);
        for (let retries = 0; retries <= mostRetries; retries += 1) {
          expect(backoffMs(retries)).toBeGreaterThanOrEqual(0);
          expect(backoffMs(retries)).toBeLessThanOrEqual(300_000);
        }
      }),
    );
  });
});
