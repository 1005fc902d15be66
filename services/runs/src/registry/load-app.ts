import { join } from 'node:path';
import type { AgentParts } from './agents/build-agent.ts';
import type { App } from './app.ts';
import { assembleApp } from './assemble-app.ts';
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
    checkTool: (entry) => parts.tools.check(entry),
    checkRemote: (definition) => parts.remoteAgents?.check(definition) ?? [],
  });
  return present?.source === text ? present : assembleApp({ name, source: text, file }, parts);
}
