import { orderedUuid } from '@agentmesh/lib/pg';
import type { JsonObject } from '@agentmesh/proto/event';
import type { CreateSessionRequest } from '@agentmesh/proto/sessions/v1';
import { checkBytes, takeRoom, takeRoomForNew } from '../account-usage.ts';
import type { Context } from '../context.ts';
import { sessionExists } from '../errors.ts';
import { fromImport } from '../events/stored-event.ts';
import { importedView } from '../view/view.ts';
import { bytesOf } from '../json-bytes.ts';
import { revisionOf } from '../revision.ts';
import { checkNewSessionKey } from '../session-key.ts';
import { applyDelta, parseDelta, printState, type StateChange, type StateMap, toChanges } from '../state-delta.ts';
import type { StoredEvent } from '../store/events/events.ts';
import { bytesOfEvents, checkChanges } from '../store/sizes.ts';
import { insertSession } from '../store/sessions.ts';
import type { Handlers } from './handlers.ts';

/** Creates a session with its first state and events in one statement. */
export function createSession(context: Context): Handlers['createSession'] {
  return async (request) => {
    const given = request.session;
    const named = given?.sessionId.trim() ?? '';
    const sessionId = named || orderedUuid();
    const key = checkNewSessionKey(given && { ...given, sessionId });
    const { db, limits, usage } = context;
    using _room = named === '' ? takeRoomForNew(context, key.accountId) : takeRoom(context, key);
    checkBytes(context, key.accountId);
    const { events, givenChanges, changes, ownState, initialState } = readContent(request);
    // A rewind gives it back, also where events set its keys anew.
    checkChanges(key.accountId, givenChanges, limits);
    const lastUpdateTime = events.at(-1)?.timestamp ?? Date.now() / 1000;
    const created = await insertSession(db, key, {
      lastUpdateTime,
      events,
      changes,
      limits,
      initialState,
      view: importedView(events),
    });
    if (created === undefined) throw sessionExists(given?.sessionId ?? sessionId);
    usage.add(key.accountId, { sessions: 1, bytes: bytesOfEvents(events) });
    const { state, createdAt } = created;
    for (const [name, value] of ownState) state.set(name, value);
    const { appName, userId } = key;
    const revision = revisionOf({ createdAt, lastSeq: events.length });
    return {
      session: { appName, userId, id: sessionId, stateJson: bytesOf(printState(state)), lastUpdateTime, revision },
      events: events.map((event) => bytesOf(event.json)),
    };
  };
}

interface Content {
  events: StoredEvent[];
  /** The given state. */
  givenChanges: StateChange[];
  changes: StateChange[];
  ownState: StateMap;
  /** JSON of the given state; null when there is none. A rewind gives it back. */
  initialState: string | null;
}

/** Applies the given state and the deltas of the events in order. For each key, the last value is stored. */
function readContent(request: CreateSessionRequest): Content {
  const imported = request.events.map(fromImport).filter((event) => event !== undefined);
  const given = parseDelta(request.stateJson);
  const deltas = [given, ...imported.map((event) => event.delta)];
  const changes = new Map<string, StateChange>();
  const ownState: StateMap = new Map();
  for (const delta of deltas) {
    applyDelta(ownState, delta);
    for (const change of toChanges(delta)) changes.set(`${change.scope}:${change.key}`, change);
  }
  for (const name of ownState.keys()) if (name.startsWith('temp:')) ownState.delete(name);
  return {
    events: imported.map((event) => event.stored),
    givenChanges: toChanges(given),
    changes: [...changes.values()],
    ownState,
    initialState: initialOf(given),
  };
}

/** State of the session alone, without keys that users and apps share. */
function initialOf(given: JsonObject): string | null {
  const own = Object.entries(given).filter(([key, value]) => !/^(app|user|temp):/.test(key) && value !== null);
  return own.length === 0 ? null : JSON.stringify(Object.fromEntries(own));
}
