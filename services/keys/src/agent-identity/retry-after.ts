const longestSeconds = 86_400;

/** Seconds of a header `Retry-After`, which holds seconds or a date, at most a day. Undefined when it holds neither. */
export function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), longestSeconds);
}
