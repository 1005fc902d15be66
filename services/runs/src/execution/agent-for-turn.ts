import { type BaseAgent, type Event, findEventByLastFunctionResponseId, isRoutableLlmAgent } from '@google/adk';

/**
 * The agent that takes the turn: the one whose call the last event answers, else the one that spoke last, if it may be talked to
 * directly, else the root. Like ADK's `determineAgentForResumption`, which also prints every event that it looks at.
 */
export function agentForTurn(events: readonly Event[], root: BaseAgent): BaseAgent {
  const caller = findEventByLastFunctionResponseId([...events])?.author;
  const answered = caller === undefined ? undefined : root.findAgent(caller);
  if (answered !== undefined) return answered;
  for (let index = events.length - 1; index >= 0; index--) {
    const author = events[index]?.author;
    if (author === undefined || author === 'user') continue;
    if (author === root.name) return root;
    const agent = root.findSubAgent(author);
    if (agent !== undefined && isRoutableLlmAgent(agent)) return agent;
  }
  return root;
}
