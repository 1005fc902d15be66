import type { Models } from '../../../models/models.ts';
import type { ToolHooks } from '../../entries/guard-tool.ts';
import type { ToolResolvers } from '../../entries/tool-resolvers.ts';
import type { RemoteAgents } from './remote-agents.ts';

/** The parts that agents are made of. */
export interface AgentParts {
  readonly models: Models;
  readonly tools: ToolResolvers;
  /** Agents that run elsewhere. Absent: no agent may be of that class. */
  readonly remoteAgents?: Pick<RemoteAgents, 'make'>;
  /** Longest time in milliseconds that a tool may take. */
  readonly toolTimeoutMs: number;
  /** Called around each call of a tool. */
  readonly toolHooks?: ToolHooks;
  /** Finds the export that a dotted name stands for. Absent where no code of apps runs. */
  readonly findCode?: (name: string) => unknown;
  /** Most model calls of a run. */
  readonly maxModelCalls: number;
}

/** The export that a dotted name of a file stands for. */
export function codeOf(name: string, { findCode }: AgentParts): unknown {
  if (findCode === undefined) throw new Error(`"${name}" is code of an app, which runs in a worker.`);
  return findCode(name);
}
