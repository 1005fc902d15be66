import { join } from 'node:path';
import type { App } from './app.ts';
import { printAppGraph } from './app-graph.ts';
import { printAppInfo } from './app-info.ts';
import { type AgentParts, buildAgent } from './build-agent.ts';
import { loadAgentFiles } from './load-agent-files.ts';

/** What to load, and the version that may still be good. */
export interface AppPlace {
  /** Folder of all apps. */
  readonly dir: string;
  readonly name: string;
  readonly present?: App | undefined;
}

/** Reads and builds an app; the present version is answered where its files have not changed. */
export async function loadApp({ dir, name, present }: AppPlace, parts: AgentParts): Promise<App> {
  const { root: file, text } = await loadAgentFiles(join(dir, name));
  if (present?.source === text) return present;
  const root = buildAgent(file, parts);
  const infoJson = printAppInfo({ name, root, file });
  const graphJson = printAppGraph(name, file);
  return { name, source: text, root, graphJson, ...(infoJson === undefined ? {} : { infoJson }) };
}
