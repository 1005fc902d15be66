import { type BaseAgent, type BaseTool, isBaseTool, isLlmAgent } from '@google/adk/core';
import { schemaFault } from '../../../tools/schema-fault.ts';

/** Throws an error for the app's author when no model can be given a tool of an agent or of those below it. */
export function checkTools(agent: BaseAgent): void {
  if (isLlmAgent(agent)) for (const tool of agent.tools.filter(isBaseTool)) checkTool(tool);
  for (const subAgent of agent.subAgents) checkTools(subAgent);
}

function checkTool(tool: BaseTool): void {
  const fault = declarationFault(tool);
  if (fault !== undefined) throw new Error(`the tool "${tool.name}" cannot be used: ${fault}`);
}

function declarationFault(tool: BaseTool): string | undefined {
  try {
    const { description = '', ...schemas } = tool._getDeclaration() ?? {};
    return schemaFault(description, [schemas]);
  } catch (error) {
    return error instanceof RangeError ? 'its schema holds itself' : String(error);
  }
}

/** Throws an error for the app's author when agents of code cannot be used in the tree that they are in. */
export function checkTree(root: BaseAgent): void {
  const names = new Set<string>();
  checkAgent(root, names, false);
}

/** `givesModel`: an agent above has a model. */
function checkAgent(agent: BaseAgent, names: Set<string>, givesModel: boolean): void {
  const { name, subAgents } = agent;
  if (names.has(name)) throw new Error(`two agents have the name "${name}"`);
  names.add(name);
  const hasModel = isLlmAgent(agent) && agent.model !== undefined && agent.model !== '';
  if (isLlmAgent(agent) && !hasModel && !givesModel) throw new Error(`the agent "${name}" has no model`);
  for (const subAgent of subAgents) checkAgent(subAgent, names, givesModel || hasModel);
}
