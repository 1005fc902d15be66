import type { BaseMemoryService, Event, InvocationContextParams } from '@google/adk/core';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { CallCosts } from '../../models/use/call-costs.ts';
import type { MissingTools } from '../../models/use/model-caller.ts';
import type { RunWaits } from '../../models/use/run-waits.ts';
import type { TurnLease } from '../../models/use/turn-lease.ts';
import type { AgentSession } from './history/agent-session.ts';
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
  /** Held before each call of a model or a tool. */
  readonly lease?: TurnLease | undefined;
  /** Notes what the run waits for. */
  readonly waits?: RunWaits | undefined;
  /** Notes tools that the run does without. */
  readonly missing?: MissingTools | undefined;
  /** Aborts models and tools, and the parallel agents of one that failed. */
  readonly signal: AbortSignal;
}

/** The events of an agent loop, one after the other. */
export type EventLoop = Pick<AsyncGenerator<Event, void, void>, 'next' | 'return'>;

/** The agents of one attempt. They begin with the first `next` of the loop or before. */
export interface AgentRun {
  readonly loop: EventLoop;
  readonly session: AgentSession;
  /** The path of an agent in the app. Absent: its events have it. */
  readonly pathOf?: (author: string) => string;
}
