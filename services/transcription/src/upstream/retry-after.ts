import { isObject } from './error-text.ts';

const longestSeconds = 86_400;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Seconds after which a server that answered 429 wants to be asked again, rounded up, at most a day: from OpenAI's header
 * `retry-after-ms`, the header `retry-after` (seconds or a date), or Google's `RetryInfo` in the body. Undefined when it does not
 * say.
 */
export function retryAfterSeconds(headers: Headers, answer: unknown): number | undefined {
  const seconds = ofMilliseconds(headers) ?? ofRetryAfter(headers) ?? ofRetryInfo(answer);
  return seconds === undefined ? undefined : Math.min(Math.ceil(seconds), longestSeconds);
}

function ofMilliseconds({ 'retry-after-ms': value }: Headers): number | undefined {
  const milliseconds = numberOf(value);
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

function ofRetryAfter({ 'retry-after': value }: Headers): number | undefined {
  const seconds = numberOf(value);
  if (seconds !== undefined || typeof value !== 'string') return seconds;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

/** `{"error":{"details":[{"@type":"…RetryInfo","retryDelay":"2.5s"}]}}` */
function ofRetryInfo(answer: unknown): number | undefined {
  const details: unknown = isObject(answer) && isObject(answer.error) ? answer.error.details : undefined;
  const delays = Array.isArray(details)
    ? details.map((detail) => (isObject(detail) ? detail.retryDelay : undefined))
    : [];
  const delay = delays.find((found) => typeof found === 'string' && found.endsWith('s'));
  return typeof delay === 'string' ? numberOf(delay.slice(0, -1)) : undefined;
}

function numberOf(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
