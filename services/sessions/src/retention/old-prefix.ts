import type { AgingEvent } from '../store/retention/old-rows.ts';

/**
 * How many of the first events of a session may be deleted. A turn goes as a whole, when its last event is older than `before` (Unix time in
 * seconds), so that what stays begins with a user turn. `isAll`: the session has no further events.
 */
export function oldPrefix(events: readonly AgingEvent[], before: number, isAll: boolean): number {
  const fresh = events.findIndex(({ ts }) => ts >= before);
  if (fresh === -1 && isAll) return events.length;
  // The turn of the first fresh event, or the last turn, which may go on behind these events, stays.
  const end = fresh === -1 ? events.length - 1 : fresh;
  const start = events.findLastIndex((event, index) => event.turn_start && index <= end);
  // Without a start, the turn has more events than are looked at, and its start is gone already.
  if (start === -1) return fresh === -1 ? events.length : fresh;
  return start === 0 && fresh === -1 ? events.length : start;
}
