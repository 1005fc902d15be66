import { join } from 'node:path';
import type { App } from './app.ts';
import { printAppGraph } from './app-graph.ts';
import { printAppInfo } from './app-info.ts';
import { type AgentParts, buildAgent } from './agents/build-agent.ts';
import { loadAgentFiles } from './files/load-agent-files.ts';

/** The app to load, and its current version, which may still be valid. */
export interface AppPlace {
  /** Folder of all apps. */
  readonly dir: string;
  readonly name: string;
  readonly present?: App | undefined;
}

/** Reads and builds an app. Returns the current version if its files have not changed. Throws like `loadAgentFiles`. */
export async function loadApp({ dir, name, present }: AppPlace, parts: AgentParts): Promise<App> {
  const { root: file, text } = await loadAgentFiles(join(dir, name), {
    checkModel: (model) => parts.models.problemWith(model),
  });
  if (present?.source === text) return present;
  const root = buildAgent(name, file, parts);
  const infoJson = printAppInfo({ name, root, file });
  const graphJson = printAppGraph(name, file);
  return { name, source: text, root, graphJson, ...(infoJson === undefined ? {} : { infoJson }) };
}
