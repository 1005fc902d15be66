import { BaseSessionService, type Event, InMemorySessionService, type Session } from '@google/adk';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { noteAccount } from '../../models/index.ts';
import type { HistoryWindow } from './history-window.ts';

/** The session that an attempt's agents see: a window of recent events and the whole state. */
export interface TurnSession {
  readonly session: Session;
  /** ADK's session service for the agents of the attempt. Sessions that tools create in it end with the attempt. */
  readonly service: BaseSessionService;
  /** Adds a whole event and applies its state delta. */
  absorb(event: Event): Promise<void>;
  /** Gives keys of the state the values that they had when the turn began. */
  reset(keys: readonly string[]): void;
  /** Applies state deltas that others committed, and the attempt's own that were committed after them. */
  applyDeltas(others: readonly Uint8Array[], own: readonly Uint8Array[]): void;
}

const decoder = new TextDecoder();

/** Creates ADK's session of a granted turn. */
export function createTurnSession(turn: Turn, window: HistoryWindow): TurnSession {
  const events = window.events.map(({ event }) => event);
  const session: Session = {
    id: turn.session?.sessionId ?? '',
    appName: turn.session?.appName ?? '',
    userId: turn.session?.userId ?? '',
    state: parseState(turn.stateJson),
    events,
    lastUpdateTime: events.at(-1)?.timestamp ?? Date.now(),
  };
  noteAccount(session, turn.session?.accountId ?? '');
  const service = new InMemorySessionService();
  return {
    session,
    service,
    async absorb(event) {
      const delta = Object.entries(event.actions.stateDelta);
      for (const [key, value] of delta) if (key.startsWith('temp:')) setKey(session.state, key, value);
      await BaseSessionService.prototype.appendEvent.call(service, { session, event });
      for (const [key, value] of delta) if (value === null) delete session.state[key];
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
