import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { accountMemories, contended, invalid, notConfigured, sessionNotFound } from '../errors.ts';
import { addHistory, type Named, readHistory } from '../ingest/history.ts';
import { isStorableId, type KeyParameters, keyParameters } from '../memory-key.ts';
import { findSource } from '../store/sources.ts';
import type { Handlers } from './handlers.ts';

const mostTries = 20;

/** Adds the events of a session that the memory does not have yet. */
export function addSession(context: Context): Handlers['addSession'] {
  return async ({ session }, call) => {
    if (!context.enabled) throw notConfigured();
    const { key, sessionId } = checkKey(session);
    if (context.usage.of(key[0], 'entries') >= context.mostEntries) throw accountMemories();
    const adding = { ...context, db: context.db.within(call) };
    const added = await context.addLimit(JSON.stringify(key), () =>
      add(adding, { key, sessionId, signal: call.signal }),
    );
    if (added > 0) context.embedding?.wake();
    return { added };
  };
}

async function add(context: Context, named: Omit<Named, 'known'>): Promise<number> {
  for (let tries = 0; tries < mostTries; tries++) {
    named.signal.throwIfAborted();
    const known = await findSource(context.db, named.key, named.sessionId);
    const history = await readHistory(context, { ...named, known });
    const added = history.isKnown ? 0 : await addHistory(context, history);
    if (added !== undefined) return added;
  }
  throw contended();
}

function checkKey(session: SessionKey | undefined): { key: KeyParameters; sessionId: string } {
  if (session === undefined) throw invalid('A session key is required.');
  const key = keyParameters(session);
  const sessionId = session.sessionId.trim();
  if (key === undefined || !isStorableId(sessionId)) throw sessionNotFound();
  return { key, sessionId };
}
