import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { sessionNotFound } from '../errors.ts';
import { bytesOf } from '../json-bytes.ts';
import { canExist, keyParameters } from '../session-key.ts';
import { printState } from '../state-delta.ts';
import { readEvents } from '../store/events.ts';
import { getSession as readSession } from '../store/sessions.ts';

type GetSession = MethodImpl<(typeof SessionsService)['method']['getSession']>;

const pageSize = 500;

/** Streams a session as it was at one moment; later appends are not in it. */
export function getSession({ db }: Context): GetSession {
  return async function* (request) {
    if (!canExist(request.session)) throw sessionNotFound();
    const key = keyParameters(request.session);
    const session = await readSession(db, key, pageSize);
    if (session === undefined) throw sessionNotFound();
    const [, appName, userId, id] = key;
    const { lastUpdateTime, lastSeq, pk } = session;
    const stateJson = bytesOf(printState(session.state));
    yield { session: { appName, userId, id, stateJson, lastUpdateTime }, events: session.events.map(bytesOf) };
    for (let after = session.events.length; after < lastSeq; after += pageSize) {
      const rows = await readEvents(db, { sessionPk: pk, after, upTo: lastSeq, limit: pageSize });
      yield { events: rows.map((row) => bytesOf(row.json)) };
    }
  };
}
