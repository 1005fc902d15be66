import type { BaseMemoryService, Event, InvocationContextParams } from '@google/adk';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { CallCosts } from '../../models/use/call-costs.ts';
import type { HistoryWindow } from './history/history-window.ts';

type ArtifactService = NonNullable<InvocationContextParams['artifactService']>;

/** Input of an app's agents for one attempt. */
export interface AgentRunOptions {
  readonly turn: Turn;
  readonly window: HistoryWindow;
  /** Memory of the turn's user. Absent: agents get the error that there is none. */
  readonly memory?: BaseMemoryService;
  /** Artifacts of the turn's session and user. Absent: agents get the error that there are none. */
  readonly artifacts?: ArtifactService;
  readonly maxModelCalls: number;
  /** Those of them that the run has made before. */
  readonly earlierModelCalls?: number;
  /** Counts the costs of the attempt. */
  readonly costs?: CallCosts;
  /** Aborts models and tools, and the parallel agents of one that failed. */
  readonly signal: AbortSignal;
}

/** The events of an agent loop, one after the other. */
export type EventLoop = Pick<AsyncGenerator<Event, void, void>, 'next' | 'return'>;

/** The session that an attempt's agents see. */
export interface AgentSession {
  /** Its state as far as this process knows. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Adds a whole event and applies its state delta. */
  absorb(event: Event): Promise<void>;
  /** Gives keys of the state the values that they had when the turn began. */
  reset(keys: readonly string[]): void;
  /** Applies state deltas that others committed, and the attempt's own that were committed after them. */
  applyDeltas(others: readonly Uint8Array[], own: readonly Uint8Array[]): void;
  /** Adds messages that were added to the run, as public JSON of their events: before the next model call that follows no open call of a tool. */
  addMessages(messages: readonly Uint8Array[]): void;
}

/** The agents of one attempt. They begin with the first `next` of the loop or before. */
export interface AgentRun {
  readonly loop: EventLoop;
  readonly session: AgentSession;
}
