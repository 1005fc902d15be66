import { orderedUuid } from '@agentmesh/lib/pg';
import type { ForkSessionRequest } from '@agentmesh/proto/sessions/v1';
import { checkBytes, takeRoom } from '../../account-usage.ts';
import type { Context } from '../../context.ts';
import { eventNotFound, invalid, invocationNotFound, sessionNotFound } from '../../errors.ts';
import { forkSession as fork } from '../../history/fork-session.ts';
import { canExist, checkNewSessionKey, checkSessionKey, type NumberedSession } from '../../session-key.ts';
import { selectPlace } from '../../store/events/places.ts';
import { selectHistory } from '../../store/histories.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

/** Copies a session up to an event. */
export function forkSession(context: Context): Handlers['forkSession'] {
  return async (request) => {
    if (!canExist(request.session)) throw sessionNotFound();
    const source = checkSessionKey(request.session);
    const { accountId } = source;
    checkBytes(context, accountId);
    const sessionId = request.newSessionId.trim() || orderedUuid();
    const key = checkNewSessionKey({ ...source, sessionId, $typeName: 'agentmesh.sessions.v1.SessionKey' });
    using _room = takeRoom(context, key);
    const bytes = await untilCurrent(async () => {
      const history = await selectHistory(context.db, source);
      if (history === undefined) throw sessionNotFound();
      const lastSeq = await placeOf(context, request, { accountId, sessionPk: history.pk });
      return fork(context, { source, history, key, lastSeq });
    });
    context.usage.add(accountId, { sessions: 1, bytes });
    return { sessionId };
  };
}

/** Sequence of the last event of the copy. */
async function placeOf(
  { db }: Context,
  { eventId, invocationId }: ForkSessionRequest,
  session: NumberedSession,
): Promise<number> {
  if ((eventId === '') === (invocationId === '')) throw invalid('A copy ends with an event or with an invocation.');
  if ([eventId, invocationId].some((id) => id.includes('\0'))) throw invalid('An id contains no NUL.');
  const seq =
    eventId === ''
      ? await selectPlace(db, 'last of invocation', { ...session, id: invocationId })
      : await selectPlace(db, 'event', { ...session, id: eventId });
  if (seq !== undefined) return seq;
  throw eventId === '' ? invocationNotFound(invocationId) : eventNotFound(eventId);
}
