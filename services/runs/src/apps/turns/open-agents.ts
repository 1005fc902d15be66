import { type BaseAgent, type Event, InvocationContext, PluginManager, StreamingMode } from '@google/adk/core';
import type { Content } from '@google/genai';
import { agentForTurn } from './agent-for-turn.ts';
import type { AgentRun, AgentRunOptions } from './agent-run.ts';
import { countModelCalls } from './count-model-calls.ts';
import { agentPath } from './events/agent-path.ts';
import { parseMessage } from './events/event-json.ts';
import { isAddedToRun } from './history/added-to-run.ts';
import { notePlain } from './history/parts-of-tools.ts';
import { createTurnSession } from './history/turn-session.ts';
import { noteContext } from '../../models/use/model-caller.ts';
import { resumeLoop } from './takeover/resume-loop.ts';

/** The message of a turn: that of its event, which mostly is the last one, is parsed already. */
function messageOf({ messageJson, invocationId }: AgentRunOptions['turn'], last: Event | undefined): Content {
  const isOwn = last?.author === 'user' && last.invocationId === invocationId && !isAddedToRun(last);
  return (isOwn ? last.content : undefined) ?? parseMessage(messageJson);
}

const noPlugins = new PluginManager();

/** ADK's agent loop over a granted turn, without its Runner: the turn and its user event are stored already. */
export function openAgents(root: BaseAgent, options: AgentRunOptions): AgentRun {
  const { turn, window, memory, artifacts, maxModelCalls, costs, lease, waits, missing, signal } = options;
  const events = window.events.map(({ event }) => event);
  const own = { costs, lease, waits, missing };
  const hasAdded = window.events.some(({ isAdded }) => isAdded);
  const turnSession = createTurnSession(turn, events, { ...own, hasAdded });
  const { session, service } = turnSession;
  if (!hasAdded && !window.events.some(({ hasTools }) => hasTools)) notePlain(session, events.length);
  const agent = agentForTurn(session.events, root);
  const context = new InvocationContext({
    invocationId: turn.invocationId,
    agent,
    session,
    sessionService: service,
    ...(memory && { memoryService: memory }),
    ...(artifacts && { artifactService: artifacts }),
    pluginManager: noPlugins,
    runConfig: {
      maxLlmCalls: maxModelCalls,
      streamingMode: turn.streaming ? StreamingMode.SSE : StreamingMode.NONE,
    },
    abortSignal: signal,
    ...(turn.messageJson.length === 0 ? {} : { userContent: messageOf(turn, events.at(-1)) }),
  });
  noteContext(context);
  countModelCalls(context, options.earlierModelCalls);
  const loop = turn.isTakeover ? resumeLoop(root, context) : agent.runAsync(context);
  return { loop, session: turnSession, pathOf: (author) => agentPath(root, author) };
}
