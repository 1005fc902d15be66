import { checkAccountId } from '@agentmesh/lib/rpc';
import type { ListSessionsRequest } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { bytesOf } from '../json-bytes.ts';
import { maxPageBytes, maxPageLimit, pageLimit } from '../page-limit.ts';
import { isId } from '../session-key.ts';
import { printFields } from '../state-delta.ts';
import { latestMoment } from '../store/created-at.ts';
import { type ListedSession, type Place, selectSessionPage } from '../store/session-pages.ts';
import { type ListScope, selectSharedState } from '../store/state.ts';
import type { Handlers } from './handlers.ts';

/** Streams a user's sessions in the order of their creation: all of them, or one page. */
export function listSessions({ db }: Context): Handlers['listSessions'] {
  return async function* (request) {
    const { accountId, appName, userId, newestFirst } = request;
    const scope: ListScope = { accountId: checkAccountId(accountId), appName, userId };
    const limit = pageLimit(request.limit);
    let after = placeOf(request);
    if (!isId(appName) || !isId(userId)) return;
    const shared = printFields(await selectSharedState(db, scope));
    do {
      const { sessions, last } = await selectSessionPage(db, scope, { after, limit, newestFirst });
      after = last;
      const place = request.limit === 0 || after === undefined ? {} : { last: placeAt(after) };
      // Printed one at a time while they are sent, because each contains all of the shared state.
      const printed = sessions.values().map((session) => ({ appName, userId, ...printSession(session, shared) }));
      for (const message of inMessages(printed)) yield { sessions: message, ...place };
    } while (after !== undefined && request.limit === 0);
  };
}

function placeOf({ after }: ListSessionsRequest): Place | undefined {
  if (after === undefined) return undefined;
  const { createdAt, sessionId } = after;
  if (createdAt < 0n || createdAt > latestMoment || sessionId.includes('\0')) throw invalid('No such place.');
  return { createdAt, id: sessionId };
}

function placeAt({ createdAt, id }: Place) {
  return { createdAt, sessionId: id };
}

/** Shared state and the session's own state have no key in common: only shared keys have a prefix. */
function printSession({ id, lastUpdateTime, ownFields }: ListedSession, shared: string) {
  const separator = ownFields === '' || shared === '' ? '' : ',';
  return { id, lastUpdateTime, stateJson: bytesOf(`{${ownFields}${separator}${shared}}`) };
}

/** Groups sessions into messages, in order. No message is much larger than a page may be. */
function* inMessages<T extends { readonly stateJson: Uint8Array }>(sessions: Iterable<T>): Generator<T[]> {
  let message: T[] = [];
  let bytes = 0;
  for (const session of sessions) {
    message.push(session);
    bytes += session.stateJson.length;
    if (bytes < maxPageBytes && message.length < maxPageLimit) continue;
    yield message;
    message = [];
    bytes = 0;
  }
  if (message.length > 0) yield message;
}
