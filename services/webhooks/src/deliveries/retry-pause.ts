const minute = 60;
const hour = 3_600;

/** Seconds after each failed attempt, as Standard Webhooks proposes; the last one repeats. */
const pauses = [10, 2 * minute, 10 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour];

/** Days for which a delivery is tried. */
const days = 3;

/** When attempts at a delivery end that begins now. */
export function giveUpTime(now: Date): Date {
  return new Date(now.getTime() + days * 86_400_000);
}

/** When the attempt after the one with this number is due. The receiver may ask for a longer pause, in seconds. */
export function nextAttemptTime(now: Date, attempts: number, askedSeconds = 0): Date {
  const seconds = pauses[Math.min(Math.max(attempts, 1), pauses.length) - 1] ?? 0;
  return new Date(now.getTime() + Math.max(seconds, askedSeconds) * 1000);
}
