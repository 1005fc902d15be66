import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { contended, invalid, notConfigured, sessionNotFound } from '../errors.ts';
import { addHistory, readHistory } from '../ingest/history.ts';
import { isStorableId, type KeyParameters, keyParameters } from '../memory-key.ts';
import { findSource } from '../store/sources.ts';
import type { MemoryRpc } from './index.ts';

const mostTries = 20;

/** Adds what a session holds and the memory lacks. */
export function addSession(context: Context): MemoryRpc['addSession'] {
  return async ({ session }, { signal }) => {
    if (!context.enabled) throw notConfigured();
    const { key, sessionId } = checkKey(session);
    for (let tries = 0; tries < mostTries; tries++) {
      const known = await findSource(context.db, key, sessionId);
      const history = await readHistory(context, { key, sessionId, known, signal });
      const added = history.isKnown ? 0 : await addHistory(context, history);
      if (added === undefined) continue;
      if (added > 0) context.embedding?.wake();
      return { added };
    }
    throw contended();
  };
}

function checkKey(session: SessionKey | undefined): { key: KeyParameters; sessionId: string } {
  if (session === undefined) throw invalid('A session key is required.');
  const key = keyParameters(session);
  const sessionId = session.sessionId.trim();
  if (key === undefined || !isStorableId(sessionId)) throw sessionNotFound();
  return { key, sessionId };
}
