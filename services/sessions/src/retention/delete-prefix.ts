import type { JsonObject } from '@agentmesh/proto/event';
import type { Queryable } from '@agentmesh/lib/pg';
import { beginFolding, foldDeltas, ownArtifacts, ownState, parseInitial } from '../history/fold-deltas.ts';
import type { NumberedSession } from '../session-key.ts';
import { deleteFirstEvents, selectInitial } from '../store/retention/old-rows.ts';

interface Prefix extends NumberedSession {
  /** Sequence of the first event of the session. */
  readonly first: number;
  /** Sequence of the last event that is deleted. */
  readonly upTo: number;
}

/**
 * Deletes the first events of a session. What they have changed goes into the row of the session: rewinds and copies begin there, and then read the
 * changes of the events that are left.
 */
export async function deletePrefix(db: Queryable, prefix: Prefix): Promise<{ events: number; bytes: number }> {
  const { accountId, sessionPk, upTo } = prefix;
  const session = { accountId, sessionPk };
  const initial = await selectInitial(db, session);
  if (initial === undefined) return { events: 0, bytes: 0 };
  const folded = await foldDeltas(db, { ...session, after: 0, at: upTo, upTo }, beginFolding(initial));
  const state = { ...parseInitial(initial.initialState), ...ownState(folded) };
  return deleteFirstEvents(db, {
    ...prefix,
    initialState: changed(initial.initialState, state),
    initialArtifacts: changed(initial.initialArtifacts, ownArtifacts(folded)),
  });
}

/** The new JSON of a column, without keys that are deleted; null when it stays as it is. */
function changed(before: string | null, after: JsonObject): string | null {
  const json = JSON.stringify(Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null)));
  return json === (before ?? '{}') ? null : json;
}
