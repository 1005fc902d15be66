import type { JsonObject } from '@agentmesh/proto/event';
import type { Context } from '../context.ts';
import { rewindsTooMany } from '../errors.ts';
import { type StateChange, toChanges } from '../state-delta.ts';
import type { Append } from '../store/appends.ts';
import { selectFirstBehind } from '../store/events/places.ts';
import { type HeldSession, selectHeldSession } from '../store/histories.ts';
import {
  addLater,
  beginFolding,
  type Folded,
  foldDeltas,
  isUnchanged,
  parseInitial,
  restoringDelta,
} from './fold-deltas.ts';
import { restoreArtifacts, rewindEvent } from './plan-rewind.ts';
import { mostRewinds, printView, readView, withRewind } from '../view/view.ts';

/** The end of a run holds up its session, so it does not wait long for artifacts. */
const artifactsTimeoutMs = 3_000;

/**
 * Adds to the last append of a run what rewinds its turn: an event with the state as it would be without the turn, and the view in which turns do not get
 * the turn's events. Changes that others have made meanwhile stay. Artifacts are restored before. The append is returned unchanged when the turn has no events.
 *
 * @throws MeshError resource_exhausted `rewinds_too_many`
 */
export async function planRollback(context: Context, append: Append): Promise<Append> {
  const { accountId, sessionPk, invocationId, lastSeq, events } = append;
  const held = await selectHeldSession(context.db, { accountId, sessionPk, invocationId });
  if (held === undefined) return append;
  const first = await selectFirstBehind(context.db, { accountId, sessionPk, invocationId, after: held.turnAfter });
  if (first === undefined) return append;
  const view = readView(held.view);
  if (view.rewinds.length >= mostRewinds) throw rewindsTooMany(mostRewinds);
  const folded = await foldTurn(context, append, { first, held });
  const stateDelta = restoringDelta(folded, parseInitial(held.initialState));
  const artifactDelta = await restoreArtifacts(context, { key: held.key, folded, timeoutMs: artifactsTimeoutMs });
  const event = rewindEvent({ stateDelta, artifactDelta, ...namedBy(held, invocationId) });
  return {
    ...append,
    events: [...events, event],
    changes: withChanges(append.changes, toChanges(stateDelta)),
    rewound: {
      view: printView(withRewind(view, { first, last: lastSeq + events.length + 1 })),
      version: held.version,
    },
  };
}

/** The changes of the turn, with those that it is about to store, beside all others. */
async function foldTurn(
  { db }: Context,
  append: Append,
  { first, held }: { readonly first: number; readonly held: HeldSession },
): Promise<Folded> {
  const { accountId, sessionPk, invocationId, lastSeq: upTo, events } = append;
  const range = { accountId, sessionPk, at: first - 1, upTo, invocationId };
  const own = await foldDeltas(db, { ...range, after: first - 1 }, beginFolding(held));
  for (const { json } of events) addLater(own, json);
  // Most turns change nothing. Then the events before them need not be read.
  if (isUnchanged(own)) return own;
  const folded = await foldDeltas(db, { ...range, after: 0 }, beginFolding(held));
  for (const { json } of events) addLater(folded, json);
  return folded;
}

/** In ADK's meaning, the name of an invocation stands for everything since its first event: it is left out for a run that went on after an answer. */
function namedBy({ isFirstTurn }: HeldSession, invocationId: string): JsonObject {
  return isFirstTurn ? { rewindBeforeInvocationId: invocationId } : {};
}

/** Later changes replace earlier ones of the same key. */
function withChanges(changes: readonly StateChange[], later: readonly StateChange[]): StateChange[] {
  const all = [...changes, ...later].map((change) => [`${change.scope}:${change.key}`, change] as const);
  return [...new Map(all).values()];
}
