import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { canExist, checkSessionKey } from '../session-key.ts';
import { deleteSessionRows } from '../store/sessions.ts';
import { type EndedAttempt, hintEnded, tellAwaited } from '../turns/run-ended.ts';
import type { Handlers } from './handlers.ts';

/** Deletes a session. Later appends of a run in it are refused. */
export function deleteSession(context: Context): Handlers['deleteSession'] {
  return async (request, call) => {
    if (!canExist(request.session)) return {};
    const key = checkSessionKey(request.session);
    const outcome = AttemptEnd_Outcome.CANCELLED;
    let ended: EndedAttempt[] = [];
    const bytes = await deleteSessionRows(context.db.within(call), key, (tx, cancelled) => {
      const runs = cancelled.map((run) => ({ ...run, accountId: key.accountId, outcome }));
      ended = runs;
      return tellAwaited(tx, runs);
    });
    if (bytes !== undefined) context.usage.add(key.accountId, { sessions: -1, bytes: -bytes });
    if (ended.length > 0) context.wakeOutbox();
    for (const run of ended) hintEnded(context, run);
    return {};
  };
}
