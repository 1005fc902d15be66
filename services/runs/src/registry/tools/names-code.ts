import { namedCallbacks } from '../agents/callbacks.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import { isDotted } from './code-resolver.ts';

/** Whether an agent or one below it names exports of the app's modules. */
export function namesCode({ definition, subAgents }: AgentFile): boolean {
  const tools = 'tools' in definition ? (definition.tools ?? []) : [];
  if (tools.some(({ name }) => isDotted(name)) || namedCallbacks(definition).length > 0) return true;
  return subAgents.some(namesCode);
}
