import type { Event } from '@google/adk/core';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { AgentSession } from '../../turns/history/agent-session.ts';
import { createTurnSession, type TurnSession } from '../../turns/history/turn-session.ts';
import type { HostMessage } from '../protocol.ts';

type Change = Extract<HostMessage, { kind: 'reset' | 'deltas' | 'messages' }>;
/** A change without the number of its run. */
export type SessionChange = Change extends infer One ? (One extends Change ? Omit<One, 'run'> : never) : never;

/** The session of agents in a worker. The worker has it; this process keeps a copy of the state once it is asked for. */
export class RemoteSession implements AgentSession {
  readonly #turn: Turn;
  readonly #tell: (change: SessionChange) => void;
  #copy: TurnSession | undefined;
  #isChanged = false;
  #absorbed: Event | undefined;

  constructor(turn: Turn, tell: (change: SessionChange) => void) {
    this.#turn = turn;
    this.#tell = tell;
  }

  get state(): AgentSession['state'] {
    return this.#kept().state;
  }

  async absorb(event: Event): Promise<void> {
    // The worker waits for no answer to some events: what was changed in one of these must not answer a later one.
    this.#absorbed = this.#isChanged ? event : undefined;
    this.#isChanged = false;
    if (Object.keys(event.actions.stateDelta).length > 0) await this.#kept().absorb(event);
  }

  reset(keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.#isChanged = true;
    this.#kept().reset(keys);
    this.#tell({ kind: 'reset', keys });
  }

  applyDeltas(others: readonly Uint8Array[], own: readonly Uint8Array[]): void {
    if (others.length === 0) return;
    this.#kept().applyDeltas(others, own);
    this.#tell({ kind: 'deltas', others, own });
  }

  addMessages(messages: readonly Uint8Array[]): void {
    this.#tell({ kind: 'messages', messages });
  }

  /** The last event if this process has changed it; once. */
  takeAbsorbed(): Event | undefined {
    const event = this.#absorbed;
    this.#absorbed = undefined;
    return event;
  }

  #kept(): TurnSession {
    this.#copy ??= createTurnSession(this.#turn, []);
    return this.#copy;
  }
}
