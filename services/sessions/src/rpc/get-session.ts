import type { GetSessionRequest } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { invalid, sessionNotFound } from '../errors.ts';
import { bytesOf } from '../json-bytes.ts';
import { maxPageBytes, maxPageLimit } from '../page-limit.ts';
import { revisionOf } from '../revision.ts';
import { canExist, checkSessionKey } from '../session-key.ts';
import { printState } from '../state-delta.ts';
import { findSeqBeforeNewest, type SequencedJson, selectEventSpan, selectSession } from '../store/session-reads.ts';
import type { Handlers } from './handlers.ts';

const page = { limit: maxPageLimit, maxBytes: maxPageBytes };
/** Smaller than the first one, because a reader that does not read on holds one in memory. */
const nextPage = { limit: maxPageLimit, maxBytes: 1024 * 1024 };

/** Streams a session as it was at one moment, without later appends. */
export function getSession({ db }: Context): Handlers['getSession'] {
  return async function* (request) {
    const { newest, since } = filterOf(request);
    if (!canExist(request.session)) throw sessionNotFound();
    const key = checkSessionKey(request.session);
    const whole = newest === undefined && since === -Infinity;
    const session = await selectSession(db, key, whole ? page : { ...page, limit: 0 });
    if (session === undefined) throw sessionNotFound();
    const { appName, userId, sessionId: id } = key;
    const { lastUpdateTime, lastSeq, pk } = session;
    const head = { appName, userId, id, stateJson: bytesOf(printState(session.state)), lastUpdateTime };
    yield { session: { ...head, revision: revisionOf(session) }, events: session.events.map(jsonBytes) };
    const span = { accountId: key.accountId, sessionPk: pk, upTo: lastSeq, since };
    let after = newest === undefined ? (session.events.at(-1)?.seq ?? 0) : await findSeqBeforeNewest(db, span, newest);
    while (after < lastSeq) {
      const events = await selectEventSpan(db, span, { ...nextPage, after });
      if (events.length === 0) return;
      yield { events: events.map(jsonBytes) };
      after = events.at(-1)?.seq ?? lastSeq;
    }
  };
}

function filterOf({ numRecentEvents: newest, afterTimestamp: since = -Infinity }: GetSessionRequest) {
  if (newest !== undefined && newest < 0) throw invalid('The number of recent events is not negative.');
  if (Number.isNaN(since)) throw invalid('A timestamp is a number.');
  return { newest, since };
}

function jsonBytes({ json }: SequencedJson): Uint8Array {
  return bytesOf(json);
}
