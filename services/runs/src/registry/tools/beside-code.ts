import { toolNames } from '../../tools/index.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import type { Mistake } from '../files/mistake.ts';
import { isDotted } from './code-resolver.ts';

/** The mistakes of an app with code: tools and agents that need connections and keys of this process, which its worker does not have. */
export function findBesideCode({ file, definition, subAgents }: AgentFile): Mistake[] {
  const tools = 'tools' in definition ? (definition.tools ?? []) : [];
  const found = tools.flatMap(({ name }, index): Mistake[] => {
    if (toolNames.includes(name) || isDotted(name)) return [];
    return [{ file, key: `tools.${index}.name`, reason: `${name} cannot be used in an app that names code` }];
  });
  const reason = 'a remote agent cannot be used in an app that names code';
  const remote = definition.agent_class === 'RemoteA2aAgent' ? [{ file, key: 'agent_class', reason }] : [];
  return [...found, ...remote, ...subAgents.flatMap(findBesideCode)];
}
