import { BaseSessionService, type Event, type Session } from '@google/adk/core';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { fromPublicEvent } from '../events/event-json.ts';
import type { ModelCaller } from '../../../models/use/model-caller.ts';
import { createRunSessions } from './run-sessions.ts';
import type { AgentSession } from './agent-session.ts';
import { isAddedToRun } from './added-to-run.ts';
import { createHeldMessages, type HeldMessages } from './held-messages.ts';

/** The session that an attempt's agents see: a window of recent events and the whole state. */
export interface TurnSession extends AgentSession {
  readonly session: Session;
  /** ADK's session service for the agents of the attempt. Sessions that tools create in it end with the attempt. */
  readonly service: BaseSessionService;
}

const decoder = new TextDecoder();

/** The facts of a turn that its session is made of. */
export interface TurnState {
  readonly session?: Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'> | undefined;
  readonly stateJson: Uint8Array;
  readonly invocationId: string;
}

interface OwnOfTurn extends Pick<ModelCaller, 'costs' | 'lease' | 'waits' | 'missing'> {
  /** True when messages were added to runs; absent: it is looked up. */
  readonly hasAdded?: boolean;
}

/**
 * Creates ADK's session of a granted turn. Messages that were added to the run come behind the responses of calls that were open then. `costs`,
 * `lease`, `waits` and `missing`: see AgentRunOptions.
 */
export function createTurnSession(
  turn: TurnState,
  stored: Event[],
  { hasAdded = stored.some(isAddedToRun), ...own }: OwnOfTurn = {},
): TurnSession {
  const held = createHeldMessages();
  const events = hasAdded ? placeMessages(stored, turn, held) : stored;
  const session: Session = {
    id: turn.session?.sessionId ?? '',
    appName: turn.session?.appName ?? '',
    userId: turn.session?.userId ?? '',
    state: parseState(turn.stateJson),
    events,
    lastUpdateTime: events.at(-1)?.timestamp ?? Date.now(),
  };
  const { invocationId } = turn;
  const { accountId = '', appName = '', userId = '' } = turn.session ?? {};
  const service = createRunSessions(session, { accountId, appName, userId, invocationId, ...own });
  return {
    session,
    service,
    state: session.state,
    async absorb(event) {
      const delta = Object.entries(event.actions.stateDelta);
      for (const [key, value] of delta) if (key.startsWith('temp:')) setKey(session.state, key, value);
      await BaseSessionService.prototype.appendEvent.call(service, { session, event });
      for (const [key, value] of delta) if (value === null) delete session.state[key];
      held.note(event);
      session.events.push(...held.take());
    },
    addMessages(messages) {
      held.add(messages.map(fromPublicEvent));
      session.events.push(...held.take());
    },
    reset(keys) {
      if (keys.length === 0) return;
      const before = parseState(turn.stateJson);
      for (const key of keys) {
        if (Object.hasOwn(before, key)) setKey(session.state, key, before[key]);
        else delete session.state[key];
      }
    },
    applyDeltas(others, own) {
      if (others.length === 0) return;
      for (const delta of [...others, ...own]) applyDelta(session.state, parseState(delta));
    },
  };
}

/** The events with the messages of this run where its agents see them. Those that they do not see yet stay in `held`. */
function placeMessages(stored: readonly Event[], { invocationId }: TurnState, held: HeldMessages): Event[] {
  return stored.flatMap((event) => {
    if (event.invocationId !== invocationId) return [event];
    const isAdded = isAddedToRun(event);
    if (isAdded) held.add([event]);
    else held.note(event);
    return isAdded ? held.take() : [event, ...held.take()];
  });
}

function parseState(json: Uint8Array): Record<string, unknown> {
  return json.length === 0 ? {} : (JSON.parse(decoder.decode(json)) as Record<string, unknown>);
}

function applyDelta(state: Record<string, unknown>, delta: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(delta)) {
    if (value === null) delete state[key];
    else setKey(state, key, value);
  }
}

/** Defines a property. An assignment would call the setter of a key such as `__proto__`. */
function setKey(state: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(state, key, { value, writable: true, enumerable: true, configurable: true });
}
