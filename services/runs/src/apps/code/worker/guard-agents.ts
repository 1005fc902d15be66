import {
  type BaseAgent,
  isAgentTool,
  isBaseAgent,
  isBaseLlm,
  isBaseTool,
  isBaseToolset,
  isLlmAgent,
} from '@google/adk/core';
import { CallerNote } from '../../../models/use/model-caller.ts';
import { AnsweringLlm } from '../../building/agents/answering-llm.ts';
import { guardTool, type GuardOptions } from '../../entries/guard-tool.ts';

/** Guards the tools and models of an agent, and counts its calls of models, of the agents below it, and of those that are its tools. */
export function guardAgents(agent: BaseAgent, options: GuardOptions, seen = new Set<BaseAgent>()): void {
  if (seen.has(agent)) return;
  seen.add(agent);
  for (const subAgent of agent.subAgents) guardAgents(subAgent, options, seen);
  if (!isLlmAgent(agent)) return;
  if (isBaseLlm(agent.model) && !(agent.model instanceof AnsweringLlm)) agent.model = new AnsweringLlm(agent.model);
  if (!agent.requestProcessors.some((processor) => processor instanceof CallerNote)) {
    agent.requestProcessors.push(new CallerNote());
  }
  for (const tool of agent.tools) {
    if (isBaseTool(tool) || isBaseToolset(tool)) guardTool(tool, options);
    if (isAgentTool(tool)) guardAgents(Reflect.get(tool, 'agent') as BaseAgent, options, seen);
    else if (isBaseAgent(tool)) guardAgents(tool, options, seen);
  }
}
