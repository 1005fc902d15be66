const longestSeconds = 86_400;

/** Seconds of a header `Retry-After`, which is a number or a date, rounded up, at most a day; undefined when there is none. */
export function retryAfterSeconds(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}(\.\d+)?$/.test(header.trim())
    ? Number(header)
    : (Date.parse(header) - now.getTime()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), longestSeconds);
}
