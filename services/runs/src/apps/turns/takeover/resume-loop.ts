import { type BaseAgent, type Event, type InvocationContext, isFinalResponse, isLlmAgent } from '@google/adk/core';
import { agentForTurn } from '../agent-for-turn.ts';
import { answerOpenCalls } from './answer-open-calls.ts';
import { openCallsOf } from './open-calls-of.ts';
import { RunNotContinued } from './run-not-continued.ts';

type Loop = AsyncGenerator<Event, void, void>;

/** Calls that ADK makes to ask a person. No tool works on them: the run waits. */
const questionPrefix = 'adk_request_';

/**
 * Goes on with a run whose executor has died, from its last stored event: answers the calls that have no response, then lets the agent go on whose
 * turn it is. Ends at once when nothing is left to do. Throws RunNotContinued when the place of the run cannot be found again.
 */
export async function* resumeLoop(root: BaseAgent, context: InvocationContext): Loop {
  const own = context.session.events.filter(({ invocationId }) => invocationId === context.invocationId);
  requireLlmAgents(root, own);
  // ADK sets this from the message that begins an attempt; here no message begins it.
  Object.assign(context, { userContent: own.findLast(({ author, content }) => author === 'user' && content)?.content });
  const open = openCallsOf(own);
  if (open !== undefined) {
    if (open.calls.every(({ name = '' }) => name.startsWith(questionPrefix))) return;
    yield await answerOpenCalls(root, context, open);
  }
  const last = context.session.events.at(-1);
  if (last !== undefined && last.author !== 'user' && isFinalResponse(last)) return;
  const agent = agentOf(root, context, last);
  context.agent = agent;
  yield* agent.runAsync(context);
}

function agentOf(root: BaseAgent, { session }: InvocationContext, last: Event | undefined): BaseAgent {
  const heir = last?.actions.transferToAgent;
  return (heir === undefined ? undefined : root.findAgent(heir)) ?? agentForTurn(session.events, root);
}

/** The steps of a workflow are in memory only, so a run that was in one cannot go on. */
function requireLlmAgents(root: BaseAgent, events: readonly Event[]): void {
  const names = new Set(events.map(({ author }) => author).filter((author) => author !== 'user'));
  for (const name of names) {
    for (let agent = root.findAgent(name ?? ''); agent !== undefined; agent = agent.parentAgent) {
      if (!isLlmAgent(agent)) throw new RunNotContinued(`the agent "${agent.name}" is a workflow`);
    }
  }
  if (!isLlmAgent(root)) throw new RunNotContinued(`the agent "${root.name}" is a workflow`);
}
