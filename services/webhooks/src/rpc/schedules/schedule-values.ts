import { logFilterInvalid, scheduleFieldInvalid } from '../../errors.ts';
import { firstTick, readTicks } from '../../schedules/ticks.ts';

const mostMessageBytes = 256 * 1024;
const longestName = 512;

/** Fields of a schedule that its owner chooses. */
export interface ScheduleFields {
  readonly cron: string;
  readonly timezone: string;
  readonly appName: string;
  readonly userId: string;
  /** Empty: each tick has a session of its own. */
  readonly sessionId: string;
  /** Content as public JSON. */
  readonly message: string;
  /** Value of the enum Multitask. */
  readonly multitask: number;
  readonly catchUp: boolean;
  readonly enabled: boolean;
}

/** Checks the fields, and adds the first tick after `now`: null for a schedule that is paused. */
export function scheduleValues(fields: ScheduleFields, now: Date) {
  const { cron, timezone, appName, userId, message, enabled } = fields;
  // The service sessions leaves out the blanks around an id too.
  const sessionId = fields.sessionId.trim();
  const first = firstTick(readTicks(cron, timezone), now);
  const names = [appName, userId, sessionId];
  if (
    appName === '' ||
    userId === '' ||
    names.some((name) => name.includes('\0') || Buffer.byteLength(name) > longestName)
  ) {
    throw logFilterInvalid('names no app, user or session');
  }
  if (message === '') throw scheduleFieldInvalid('message', 'A message is missing.');
  if (Buffer.byteLength(message) > mostMessageBytes) {
    throw scheduleFieldInvalid('message', `The message is larger than ${mostMessageBytes} bytes.`);
  }
  return { ...fields, sessionId: sessionId || null, nextAt: enabled ? first : null, now };
}

/** Refuses a session that no run can make. Only for one that the request has, as `checkMessage`. */
export function checkSession(sessionId: string): void {
  if (sessionId.trim().endsWith(':cancel'))
    throw scheduleFieldInvalid('session', 'A session id must not end in :cancel.');
}

/**
 * Refuses a message that no run takes: no tick of the schedule would start one. Only for a message that the request has: a schedule that an earlier release has
 * stored with such a one can be paused all the same.
 */
export function checkMessage(message: string): void {
  const parts = readParts(message);
  if (parts.length === 0) throw scheduleFieldInvalid('message', 'No parts in the new_message.');
  if (parts.some((part) => part?.['functionCall'] || part?.['functionResponse']))
    throw scheduleFieldInvalid('message', 'A schedule sends no function calls, and no answers to them.');
}

function readParts(message: string): readonly (Readonly<Record<string, unknown>> | null)[] {
  try {
    const { parts } = JSON.parse(message) as { readonly parts?: unknown };
    return Array.isArray(parts) ? (parts as (Readonly<Record<string, unknown>> | null)[]) : [];
  } catch {
    throw scheduleFieldInvalid('message', 'The new_message is not JSON.');
  }
}
