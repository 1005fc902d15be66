/** The day that is so many days before today, in UTC, e.g. `2026-11-24`. */
export function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
