import { type BaseAgent, type Event, InvocationContext, PluginManager, StreamingMode } from '@google/adk';
import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MemoryService } from '@agentmesh/proto/memory/v1';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { createTurnArtifacts } from '../artifacts/turn-artifacts.ts';
import { createTurnMemory } from '../memory/turn-memory.ts';
import { agentForTurn } from './agent-for-turn.ts';
import { parseMessage } from './events/event-json.ts';
import type { TurnSession } from './history/turn-session.ts';

export interface LoopOptions {
  readonly root: BaseAgent;
  readonly turn: Turn;
  readonly turnSession: TurnSession;
  /** Memory of the turn's user. Absent: agents get the error that there is none. */
  readonly memory: Client<typeof MemoryService> | undefined;
  /** Artifacts of the turn's session and user. Absent: agents get the error that there are none. */
  readonly artifacts: Client<typeof ArtifactsService> | undefined;
  readonly maxModelCalls: number;
  /** Aborts models and tools, and the parallel agents of one that failed. */
  readonly signal: AbortSignal;
}

const noPlugins = new PluginManager();

/** ADK's agent loop over a granted turn, without its Runner: the turn and its user event are stored already. */
export function openLoop({
  root,
  turn,
  turnSession,
  memory,
  artifacts,
  maxModelCalls,
  signal,
}: LoopOptions): AsyncGenerator<Event, void, void> {
  const { session, service } = turnSession;
  const agent = agentForTurn(session.events, root);
  const context = new InvocationContext({
    invocationId: turn.invocationId,
    agent,
    session,
    sessionService: service,
    ...(memory && { memoryService: createTurnMemory({ memory, turn, signal }) }),
    ...(artifacts && { artifactService: createTurnArtifacts({ artifacts, turn, signal }) }),
    pluginManager: noPlugins,
    runConfig: {
      maxLlmCalls: maxModelCalls,
      streamingMode: turn.streaming ? StreamingMode.SSE : StreamingMode.NONE,
    },
    abortSignal: signal,
    ...(turn.messageJson.length === 0 ? {} : { userContent: parseMessage(turn.messageJson) }),
  });
  return agent.runAsync(context);
}
