import { openAgents } from '../turns/open-agents.ts';
import type { AgentParts } from './agents/agent-parts.ts';
import { buildAgent } from './agents/build-agent.ts';
import type { App } from './app.ts';
import { printAppGraph } from './app-graph.ts';
import { printAppInfo } from './app-info.ts';
import { toolsetsOf } from './toolsets-of.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import { appSettingsOf } from '../definition/settings/app-settings.ts';
import { summaryModelOf } from '../files/summary-model.ts';

export interface AppMaterial {
  readonly name: string;
  /** The texts that the definitions were read from. */
  readonly source: string;
  readonly file: AgentFile;
}

/** Makes an app of definitions without mistakes. */
export function assembleApp({ name, source, file }: AppMaterial, parts: AgentParts): App {
  const root = buildAgent(name, file, parts);
  const infoJson = printAppInfo({ name, root, file, language: 'yaml' });
  const graphJson = printAppGraph(name, file);
  return {
    name,
    source,
    root,
    rootName: root.name,
    description: root.description ?? '',
    language: 'yaml',
    settings: appSettingsOf(file.definition),
    summaryModel: summaryModelOf(file),
    open: (options) => openAgents(root, options),
    graphJson,
    toolsets: toolsetsOf(root),
    ...(infoJson === undefined ? {} : { infoJson }),
  };
}
