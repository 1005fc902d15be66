import type { JsonObject, JsonValue } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { Queryable } from '@agentmesh/lib/pg';
import { maxPageBytes, maxPageLimit } from '../page-limit.ts';
import type { NumberedSession } from '../session-key.ts';
import { selectDeltas } from '../store/events/deltas.ts';
import { wellFormed } from '../state-delta.ts';
import type { SessionHistory } from '../store/histories.ts';

/** The last values that events gave to keys. Null: deleted. */
type Values = Map<string, JsonValue>;

/** The changes of a session before and after one of its events. */
export interface Folded {
  /** By events up to that one, for state and for versions of artifacts. */
  readonly state: Values;
  readonly artifacts: Values;
  /** By events after that one. */
  readonly laterState: Values;
  readonly laterArtifacts: Values;
}

export interface FoldRange extends NumberedSession {
  /** Events behind this sequence are read; 0: all. */
  readonly after: number;
  /** Sequence of the event. */
  readonly at: number;
  /** Sequence of the newest event. */
  readonly upTo: number;
  /** Only changes of this invocation are left out as later ones. Later changes of others count as earlier ones, too. Absent: all later events are left out. */
  readonly invocationId?: string;
}

interface DeltaEvent {
  readonly invocationId?: string;
  readonly actions?: { readonly stateDelta?: JsonObject; readonly artifactDelta?: JsonObject };
}

/** Reads the changes of a session page by page, and adds them to those of earlier events. A page is held at a time, and for each key one value. */
export async function foldDeltas(
  db: Queryable,
  { accountId, sessionPk, after: begin, at, upTo, invocationId }: FoldRange,
  folded: Folded,
): Promise<Folded> {
  const page = { limit: maxPageLimit, maxBytes: maxPageBytes };
  for (let after = begin; ; ) {
    const rows = await selectDeltas(db, { accountId, sessionPk, after, upTo, ...page });
    for (const { seq, json } of rows) {
      const event = parseExactly(json) as DeltaEvent;
      const isOfOther = invocationId !== undefined && event.invocationId !== invocationId;
      if (seq <= at || isOfOther) note(folded, event, false);
      if (seq > at) note(folded, event, true);
    }
    const last = rows.at(-1)?.seq;
    if (last === undefined) return folded;
    after = last;
  }
}

/** The last values of the session's own state up to the event. Null: deleted. */
export function ownState({ state }: Folded): JsonObject {
  return Object.fromEntries([...state].filter(([key]) => !isShared(key)));
}

/** The versions of the session's own artifacts as of the event. */
export function ownArtifacts({ artifacts }: Folded): JsonObject {
  return Object.fromEntries([...artifacts].filter(([name]) => !isOfUser(name)));
}

/** State of users and apps belongs to other sessions, too. */
const isShared = (key: string): boolean => /^(app|user|temp):/.test(key);

const isOfUser = (name: string): boolean => name.startsWith('user:');

/** Adds the changes of an event that is about to be stored. */
export function addLater(folded: Folded, json: string): void {
  note(folded, parseExactly(json) as DeltaEvent, true);
}

/** Whether nothing has changed after the event. */
export function isUnchanged({ laterState, laterArtifacts }: Folded): boolean {
  return laterState.size === 0 && laterArtifacts.size === 0;
}

/** The changes of a session before its first event is read. */
export function beginFolding({ initialArtifacts }: Pick<SessionHistory, 'initialArtifacts'>): Folded {
  const artifacts: Values = new Map(Object.entries(parseInitial(initialArtifacts)));
  return { state: new Map(), artifacts, laterState: new Map(), laterArtifacts: new Map() };
}

/** The columns `initial_state` and `initial_artifacts`. */
export function parseInitial(json: string | null): JsonObject {
  return json === null ? {} : (parseExactly(json) as JsonObject);
}

function note(folded: Folded, { actions }: DeltaEvent, isLater: boolean): void {
  setAll(isLater ? folded.laterState : folded.state, actions?.stateDelta);
  setAll(isLater ? folded.laterArtifacts : folded.artifacts, actions?.artifactDelta);
}

function setAll(values: Values, delta: JsonObject | undefined): void {
  for (const [key, value] of Object.entries(wellFormed(delta ?? {}))) values.set(key, value);
}

/**
 * The delta that gives the session its state as of the event: null for keys that did not exist. State of users and apps is left alone, because other
 * sessions have it, too.
 */
export function restoringDelta({ state, laterState }: Folded, initial: JsonObject): JsonObject {
  const delta: [string, JsonValue][] = [];
  // An object would have keys such as `constructor` that nobody has set.
  const had: Values = new Map(Object.entries(wellFormed(initial)));
  for (const [key, now] of laterState) {
    if (isShared(key)) continue;
    const before = (state.has(key) ? state.get(key) : had.get(key)) ?? null;
    if (JSON.stringify(before) !== JSON.stringify(now)) delta.push([key, before]);
  }
  return Object.fromEntries(delta);
}

/** An artifact of the session, and the version that it had; undefined when it did not exist. */
export interface ArtifactVersion {
  readonly name: string;
  readonly version?: number | undefined;
}

/** The artifacts that have other versions than as of the event. Those of the user are left alone. */
export function changedArtifacts({ artifacts, laterArtifacts }: Folded): ArtifactVersion[] {
  return [...laterArtifacts]
    .filter(([name, now]) => !isOfUser(name) && artifacts.get(name) !== now)
    .map(([name]) => ({ name, version: versionOf(artifacts.get(name)) }));
}

/** The artifacts of the session as of the event. */
export function artifactsAt({ artifacts }: Folded): ArtifactVersion[] {
  return [...artifacts]
    .map(([name, version]) => ({ name, version: versionOf(version) }))
    .filter(({ name, version }) => !isOfUser(name) && version !== undefined);
}

/** Clients may have imported anything. */
function versionOf(value: JsonValue | undefined): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31 ? Number(value) : undefined;
}
