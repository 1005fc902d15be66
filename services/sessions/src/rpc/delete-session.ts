import { writeOutbox } from '@agentmesh/lib/bus';
import { AttemptEnd_Outcome, RunEndedSchema, type SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { canExist, keyParameters } from '../session-key.ts';
import { deleteSession as eraseSession } from '../store/sessions.ts';

type DeleteSession = MethodImpl<(typeof SessionsService)['method']['deleteSession']>;

/** Deletes a session; whoever runs in it is refused from now on. */
export function deleteSession(context: Context): DeleteSession {
  return async (request) => {
    if (!canExist(request.session)) return {};
    const key = keyParameters(request.session);
    const outcome = AttemptEnd_Outcome.CANCELLED;
    await eraseSession(context.db, key, (tx, invocationIds) => {
      const ended = invocationIds.map((invocationId) => ({ accountId: key[0], invocationId, outcome }));
      return writeOutbox(tx, RunEndedSchema, ended);
    });
    context.wakeOutbox();
    return {};
  };
}
