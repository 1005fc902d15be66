import { APICallError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryDelayMs } from './retry-delay.ts';

function failed(statusCode: number, responseHeaders: Record<string, string> = {}): APICallError {
  return new APICallError({ message: 'no', url: 'http://x', requestBodyValues: {}, statusCode, responseHeaders });
}

describe('retries', () => {
  test('begin within 13 s however long each attempt takes and whatever the server wants', () => {
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
          const delayMs = retryDelayMs(failed(503, responseHeaders), { attempt, elapsedMs });
          if (delayMs === undefined) return;
          elapsedMs += delayMs;
          expect(elapsedMs).toBeLessThanOrEqual(13_000);
        }
      }),
    );
  });

  test('come after the time the server names, in milliseconds, seconds or as a date', () => {
    const progress = { attempt: 0, elapsedMs: 0 };
    expect(retryDelayMs(failed(429, { 'retry-after-ms': '7', 'retry-after': '2' }), progress)).toBe(7);
    expect(retryDelayMs(failed(429, { 'retry-after': '2' }), progress)).toBe(2000);
    const date = new Date(Date.now() + 5000).toUTCString();
    expect(retryDelayMs(failed(503, { 'retry-after': date }), progress)).toBeGreaterThan(3000);
    expect(retryDelayMs(failed(503, { 'retry-after': new Date(0).toUTCString() }), progress)).toBe(0);
  });

  test('are not made when the server wants a longer pause than there is time', () => {
    expect(retryDelayMs(failed(429, { 'retry-after': '60' }), { attempt: 0, elapsedMs: 0 })).toBeUndefined();
  });

  test('are few, and only for what passes', () => {
    expect(retryDelayMs(failed(503), { attempt: 4, elapsedMs: 0 })).toBeUndefined();
    for (const error of [failed(400), failed(404), failed(200), new Error('bug')]) {
      expect(retryDelayMs(error, { attempt: 0, elapsedMs: 0 })).toBeUndefined();
    }
  });
});
