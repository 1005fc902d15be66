import { AttemptEnd_Outcome, type SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { runEnded } from '../run-ended.ts';
import { canExist, keyParameters } from '../session-key.ts';
import { runEndedSubject } from '../store/appends.ts';
import { deleteSession as eraseSession } from '../store/sessions.ts';

type DeleteSession = MethodImpl<(typeof SessionsService)['method']['deleteSession']>;

const tell = { text: 'insert into outbox (subject, payload) select $1, unnest($2::bytea[])' };

/** Deletes a session; whoever runs in it is refused from now on. */
export function deleteSession({ db, wakeOutbox }: Context): DeleteSession {
  return async (request) => {
    if (!canExist(request.session)) return {};
    const key = keyParameters(request.session);
    await eraseSession(db, key, async (tx, invocationIds) => {
      if (invocationIds.length === 0) return;
      const facts = invocationIds.map((id) => runEnded(key[0], id, AttemptEnd_Outcome.CANCELLED));
      await tx.query(tell, [runEndedSubject, facts]);
    });
    wakeOutbox();
    return {};
  };
}
