import { type BaseAgent, type Event, findEventByLastFunctionResponseId, isRoutableLlmAgent } from '@google/adk/core';
import { authorsOf } from './events/summaries.ts';
import { isAddedToRun } from './history/added-to-run.ts';

/**
 * Chooses the agent for the turn: the agent whose call the last event answers, else the agent of the last event if the user may
 * talk to it directly, else the root agent. Like ADK's `determineAgentForResumption`, which also prints every event that it
 * reads, and does not know which agents a summary covers.
 */
export function agentForTurn(events: readonly Event[], root: BaseAgent): BaseAgent {
  // Messages that were added while the run waited stand behind the answer.
  const last = events.findLastIndex((event) => !isAddedToRun(event));
  const caller = findEventByLastFunctionResponseId(events.slice(0, last + 1))?.author;
  const answered = caller === undefined ? undefined : root.findAgent(caller);
  if (answered !== undefined) return answered;
  for (let index = events.length - 1; index >= 0; index--) {
    for (const author of authorsOf(events[index])) {
      if (author === root.name) return root;
      const agent = root.findSubAgent(author);
      if (agent !== undefined && isRoutableLlmAgent(agent)) return agent;
    }
  }
  return root;
}
