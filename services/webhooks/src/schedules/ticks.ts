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
  const fields = cron.trim().split(/\s+/);
  if (cron.length > longestCron || (fields.length !== 5 && fields.length !== 6)) throw cronInvalid();
  try {
    const times = new Cron(cron, { timezone, mode: '5-or-6-parts' });
    return {
      after: (time) => times.nextRun(time) ?? undefined,
      following: (time, number) => times.nextRuns(number, time),
    };
  } catch {
    const wrong = wrongField(fields);
    throw wrong === undefined
      ? cronInvalid()
      : scheduleFieldInvalid('cron', `Not a cron expression: ${wrong} is wrong.`);
  }
}

const namesOfFields = ['second', 'minute', 'hour', 'day of the month', 'month', 'day of the week'];

/** The first field that is invalid by itself, with its name: the parser's own messages count fields and months in its own way. */
function wrongField(fields: readonly string[]): string | undefined {
  const names = namesOfFields.slice(-fields.length);
  const index = fields.findIndex(
    (field, at) => !isCron(fields.map((_, other) => (other === at ? field : '*')).join(' ')),
  );
  return index < 0 ? undefined : `the ${names[index]} "${fields[index]}"`;
}

function isCron(cron: string): boolean {
  try {
    new Cron(cron, { mode: '5-or-6-parts' });
    return true;
  } catch {
    return false;
  }
}

/** Fails when no tick comes after a time: `0 0 30 2 *` is a day that no year has. */
export function firstTick(ticks: Ticks, now: Date): Date {
  const first = ticks.after(now);
  if (first === undefined) throw scheduleFieldInvalid('cron', 'This cron expression names no time that comes.');
  return first;
}

/** Ticks that are looked at for the least time between two: more than a minute has. */
const mostCompared = 61;

/** Fails when two of the next ticks after a time are less than `minSeconds` apart. */
export function checkPace({ cron, timezone }: { cron: string; timezone: string }, now: Date, minSeconds: number): void {
  const namesSeconds = cron.trim().split(/\s+/).length === 6;
  if (!namesSeconds && minSeconds <= 60) return;
  const next = readTicks(cron, timezone)
    .following(now, mostCompared)
    .map((time) => time.getTime());
  if (next.slice(1).every((time, index) => time - (next[index] ?? 0) >= minSeconds * 1_000)) return;
  throw scheduleFieldInvalid(
    'cron',
    `A schedule has at least ${minSeconds} seconds between two ticks (SCHEDULES_MIN_SECONDS).`,
  );
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
