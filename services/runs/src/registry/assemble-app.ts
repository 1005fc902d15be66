import { type AgentParts, buildAgent } from './agents/build-agent.ts';
import type { App } from './app.ts';
import { printAppGraph } from './app-graph.ts';
import { printAppInfo } from './app-info.ts';
import type { AgentFile } from './files/load-agent-files.ts';

export interface AppMaterial {
  readonly name: string;
  /** The texts that the definitions were read from. */
  readonly source: string;
  readonly file: AgentFile;
}

/** Makes an app of definitions without mistakes. */
export function assembleApp({ name, source, file }: AppMaterial, parts: AgentParts): App {
  const root = buildAgent(name, file, parts);
  const infoJson = printAppInfo({ name, root, file });
  const graphJson = printAppGraph(name, file);
  return { name, source, root, graphJson, ...(infoJson === undefined ? {} : { infoJson }) };
}
