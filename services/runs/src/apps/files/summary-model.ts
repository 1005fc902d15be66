import { modelProvider } from '../definition/model-provider.ts';
import { isLlmDefinition, isOwnClass, modelsOf } from '../definition/agent-definition.ts';
import { agentsBelow } from './agents-below.ts';
import { summarizerModel } from '../definition/settings/compaction-keys.ts';
import type { AgentFile } from './load-agent-files.ts';

/** The model that makes summaries of an app's sessions. */
export interface SummaryModel {
  /** In the order in which they are asked; at least one. */
  readonly names: readonly string[];
  /** How they are reached; absent: by the settings of the server. */
  readonly access?: AgentFile['access'];
  /** How often a failed call is tried again; absent: as usual. */
  readonly mostRetries?: number | undefined;
}

/** The model that the file names for summaries, else that of the root agent, else that of the first agent below that has one. Undefined when there is none. */
export function summaryModelOf(root: AgentFile): SummaryModel | undefined {
  const own = summarizerModel(root.definition);
  const agent = firstWithModel(root);
  if (own === undefined) return agent && modelOf(agent);
  const [first = ''] = agent === undefined ? [] : modelsOf(agent.definition);
  // A key of an agent belongs to one provider.
  const isSame = modelProvider(own) === modelProvider(first);
  return { names: [own], ...(isSame && accessOf(agent)) };
}

function firstWithModel(file: AgentFile): AgentFile | undefined {
  if (modelsOf(file.definition).length > 0) return file;
  for (const below of agentsBelow(file)) {
    const found = firstWithModel(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

function modelOf(agent: AgentFile): SummaryModel {
  const { definition } = agent;
  const mostRetries = isLlmDefinition(definition) || isOwnClass(definition) ? definition.model_retries : undefined;
  return { names: modelsOf(definition), mostRetries, ...accessOf(agent) };
}

function accessOf(agent: AgentFile | undefined): Pick<SummaryModel, 'access'> {
  return agent?.access === undefined ? {} : { access: agent.access };
}
