import { writeOutbox } from '@agentmesh/lib/bus';
import { AttemptEnd_Outcome, type SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { runEnded } from '../run-ended.ts';
import { canExist, keyParameters } from '../session-key.ts';
import { runEndedSubject } from '../store/appends.ts';
import { deleteSession as eraseSession } from '../store/sessions.ts';

type DeleteSession = MethodImpl<(typeof SessionsService)['method']['deleteSession']>;

/** Deletes a session; whoever runs in it is refused from now on. */
export function deleteSession(context: Context): DeleteSession {
  return async (request) => {
    if (!canExist(request.session)) return {};
    const key = keyParameters(request.session);
    await eraseSession(context.db, key, (tx, invocationIds) => {
      const payloads = invocationIds.map((id) => runEnded(key[0], id, AttemptEnd_Outcome.CANCELLED));
      return writeOutbox(
        tx,
        payloads.map((payload) => ({ subject: runEndedSubject, payload })),
      );
    });
    context.wakeOutbox();
    return {};
  };
}
