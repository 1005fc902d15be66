import { randomUUID } from 'node:crypto';
import { completeActions, type JsonObject, toWireEvent } from '@agentmesh/proto/event';
import type { Context } from '../context.ts';
import { rewindsTooMany } from '../errors.ts';
import { textOf } from '../json-bytes.ts';
import type { CheckedKey } from '../session-key.ts';
import { type StateChange, toChanges } from '../state-delta.ts';
import type { StoredEvent } from '../store/events/events.ts';
import { selectPlace } from '../store/events/places.ts';
import type { SessionHistory } from '../store/histories.ts';
import {
  beginFolding,
  changedArtifacts,
  type Folded,
  foldDeltas,
  parseInitial,
  restoringDelta,
} from './fold-deltas.ts';
import { mostRewinds, printView, readView, withRewind } from '../view/view.ts';

/** The write of a rewind, to be stored by the statement that finds the session as it was read. */
export interface PlannedRewind {
  readonly event: StoredEvent;
  readonly changes: readonly StateChange[];
  /** Sequence of the first event that is rewound. */
  readonly first: number;
  /** The session's new column `view` when so many events come before that of the rewind, which it hides, too. */
  readonly viewAfter: (events: number) => string | null;
}

export interface RewindRequest {
  readonly key: CheckedKey;
  readonly history: Pick<SessionHistory, 'pk' | 'lastSeq' | 'view' | 'initialState' | 'initialArtifacts'>;
  /** Everything from the first event of this invocation on is rewound. */
  readonly beforeInvocationId: string;
}

/**
 * Plans the event that gives a session its state before an invocation back, and restores the session's artifacts as new versions. The rewound events
 * stay stored. State and artifacts of users and apps stay as they are. Undefined when the session has no event of that invocation.
 */
export async function planRewind(context: Context, request: RewindRequest): Promise<PlannedRewind | undefined> {
  const { key, history, beforeInvocationId } = request;
  const { lastSeq } = history;
  const session = { accountId: key.accountId, sessionPk: history.pk };
  const view = readView(history.view);
  if (view.rewinds.length >= mostRewinds) throw rewindsTooMany(mostRewinds);
  const first = await selectPlace(context.db, 'first of invocation', { ...session, id: beforeInvocationId });
  if (first === undefined) return undefined;
  const range = { ...session, after: 0, at: first - 1, upTo: lastSeq };
  const folded = await foldDeltas(context.db, range, beginFolding(history));
  const stateDelta = restoringDelta(folded, parseInitial(history.initialState));
  const artifactDelta = await restoreArtifacts(context, { key, folded, timeoutMs: artifactsTimeoutMs });
  return {
    event: rewindEvent({ stateDelta, artifactDelta, rewindBeforeInvocationId: beforeInvocationId }),
    changes: toChanges(stateDelta),
    first,
    viewAfter: (events) => printView(withRewind(view, { first, last: lastSeq + events + 1 })),
  };
}

const artifactsTimeoutMs = 10_000;

interface Restored {
  readonly key: CheckedKey;
  readonly folded: Folded;
  readonly timeoutMs: number;
}

/** Makes the former versions of changed artifacts the newest ones. Returns their numbers as `artifactDelta`. */
export async function restoreArtifacts(
  { artifacts }: Context,
  { key, folded, timeoutMs }: Restored,
): Promise<JsonObject> {
  const changed = changedArtifacts(folded);
  if (changed.length === 0) return {};
  const request = { ...key, artifacts: changed.map(({ name, version }) => ({ name, version })) };
  const restored = await artifacts.restoreVersions(request, { timeoutMs });
  return Object.fromEntries(restored.artifacts.map(({ name, version = 0 }) => [name, version]));
}

/** The event that tells of a rewind. */
export function rewindEvent(actions: JsonObject): StoredEvent {
  const event = toWireEvent({
    id: randomUUID(),
    author: 'user',
    invocationId: `e-${randomUUID()}`,
    timestamp: Date.now() / 1000,
    actions: completeActions(actions),
    nodeInfo: { path: '' },
  });
  const { id, author, invocationId, timestamp } = event;
  return { id, author, invocationId, timestamp, turnStart: false, json: textOf(event.json) };
}
