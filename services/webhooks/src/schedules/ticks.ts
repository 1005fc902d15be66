import { Cron } from 'croner';
import { scheduleFieldInvalid } from '../errors.ts';

const longestCron = 200;
const longestZone = 64;

/** The times of a cron expression. */
export interface Ticks {
  /** The first tick after a time; undefined when there is none. */
  after(time: Date): Date | undefined;
  /** The first ticks after a time, at most `number`. One costs up to a millisecond of the processor. */
  following(time: Date, number: number): Date[];
}

/**
 * Reads a cron expression of five or six fields. A tick at a fixed time that a change to summer time skips comes when the skipped hour is over; one whose
 * time comes twice in a change to winter time comes the first time. Ticks of hours that are all meant (`*`) come at each real hour.
 *
 * @throws MeshError invalid_argument `schedule_cron_invalid`, `schedule_timezone_invalid`
 */
export function readTicks(cron: string, timezone: string): Ticks {
  if (!isZone(timezone)) throw scheduleFieldInvalid('timezone', 'Not the name of a time zone, such as Europe/Berlin.');
  const fields = cron.trim().split(/\s+/).length;
  if (cron.length > longestCron || (fields !== 5 && fields !== 6)) throw cronInvalid();
  try {
    const times = new Cron(cron, { timezone, mode: '5-or-6-parts' });
    return {
      after: (time) => times.nextRun(time) ?? undefined,
      following: (time, number) => times.nextRuns(number, time),
    };
  } catch {
    throw cronInvalid();
  }
}

/** Fails when no tick comes after a time: `0 0 30 2 *` is a day that no year has. */
export function firstTick(ticks: Ticks, now: Date): Date {
  const first = ticks.after(now);
  if (first === undefined) throw scheduleFieldInvalid('cron', 'This cron expression names no time that comes.');
  return first;
}

function cronInvalid() {
  const fault = `Not a cron expression of five fields, or of six with seconds first, and at most ${longestCron} characters.`;
  return scheduleFieldInvalid('cron', fault);
}

/** Offsets such as +02:00 are no zones. */
function isZone(timezone: string): boolean {
  if (timezone.length > longestZone || !/^[A-Za-z]/.test(timezone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
