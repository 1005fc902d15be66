import type { CallFailure } from './call-failure.ts';
import type { VendorError } from './vendor-error.ts';

/**
 * The pause that the server asks for, in milliseconds: by `retry-after-ms`, `retry-after` in seconds or as a
 * date, Google's `RetryInfo`, or the headers that say when a spent limit is filled again.
 */
export function retryAfterMs({ status, headers, vendor }: CallFailure): number | undefined {
  const text = headers['retry-after'];
  return (
    readNumber(headers['retry-after-ms']) ??
    inMs(readNumber(text)) ??
    readDate(text) ??
    readRetryInfo(vendor) ??
    (status === 429 ? readLimits(headers) : undefined)
  );
}

function readRetryInfo(vendor: VendorError | undefined): number | undefined {
  const info = vendor?.details.find((detail) => String(detail['@type']).endsWith('google.rpc.RetryInfo'));
  const delay = info?.['retryDelay'];
  return typeof delay === 'string' ? readDuration(delay) : undefined;
}

const remaining = /^(anthropic|x)-ratelimit-(?:(.+)-remaining|remaining-(.+))$/;

/** The latest reset time of the limits that are used up. */
function readLimits(headers: Readonly<Record<string, string>>): number | undefined {
  const waits = Object.entries(headers).flatMap(([name, value]) => {
    const [, vendor, anthropic, openAi] = remaining.exec(name) ?? [];
    if (vendor === undefined || readNumber(value) !== 0) return [];
    const reset = headers[vendor === 'x' ? `x-ratelimit-reset-${openAi}` : `anthropic-ratelimit-${anthropic}-reset`];
    return readDuration(reset ?? '') ?? readDate(reset) ?? [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses durations such as `2s`, `1.5s`, `6m0s`, `20ms`. */
function readDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const pieces = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return pieces.reduce((total, [, count, unit]) => total + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
}

function readDate(text: string | undefined): number | undefined {
  const date = Date.parse(text ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
