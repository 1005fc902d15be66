import type { Context } from '../../context.ts';
import { invalid, sessionNotFound } from '../../errors.ts';
import { readCompactable } from '../../history/read-compactable.ts';
import { bytesOf } from '../../json-bytes.ts';
import { canExist, checkSessionKey } from '../../session-key.ts';
import type { Handlers } from '../handlers.ts';

/** Most turns and events that an app may name. */
const most = 1_000;

/** Hands the events of a session that is due over to the caller who summarizes them. */
export function claimCompaction(service: Context): Handlers['claimCompaction'] {
  return async ({ session, interval, overlap, retain }, call) => {
    if (!canExist(session)) throw sessionNotFound();
    const key = checkSessionKey(session);
    if (interval < 1 || [interval, overlap, retain].some((count) => count < 0 || count > most))
      throw invalid(`Interval, overlap and retained events are at most ${most}.`);
    const found = await readCompactable(service.db.within(call), key, { interval, overlap, retain });
    if (found === undefined) return {};
    const events = found.events.map(({ seq, turn_start: turnStart, json }) => ({
      seq,
      turnStart,
      json: bytesOf(json),
    }));
    return { ...found, events, summaries: found.summaries.map(bytesOf) };
  };
}
