import { writeOutbox } from '@agentmesh/lib/bus';
import { AttemptEnd_Outcome, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { canExist, checkSessionKey } from '../session-key.ts';
import { deleteSessionRows } from '../store/sessions.ts';
import type { Handlers } from './handlers.ts';

/** Deletes a session. Later appends of a run in it are refused. */
export function deleteSession(context: Context): Handlers['deleteSession'] {
  return async (request, call) => {
    if (!canExist(request.session)) return {};
    const key = checkSessionKey(request.session);
    const outcome = AttemptEnd_Outcome.CANCELLED;
    const bytes = await deleteSessionRows(context.db.within(call), key, (tx, cancelled) => {
      const ended = cancelled.map((run) => ({ ...run, accountId: key.accountId, outcome }));
      return writeOutbox(tx, RunEndedSchema, ended);
    });
    if (bytes !== undefined) context.usage.add(key.accountId, { sessions: -1, bytes: -bytes });
    context.wakeOutbox();
    return {};
  };
}
