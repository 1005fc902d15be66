import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { noLinks } from '../code/host/app-links.ts';
import type { CodeApps } from '../code/host/code-apps.ts';
import type { AgentParts } from '../building/agents/agent-parts.ts';
import type { RemoteAgents } from '../building/agents/remote-agents.ts';
import type { App } from '../building/app.ts';
import { printAppGraph } from '../building/app-graph.ts';
import { hasCodeAgents, namesCode } from '../building/code-names.ts';
import { assembleApp } from '../building/assemble-app.ts';
import { type AgentFiles, loadAgentFiles } from '../files/load-agent-files.ts';
import { AppFilesError } from '../definition/mistake.ts';
import { findEntry } from '../files/root-file.ts';
import type { OpenLinks } from './open-links.ts';
import { summaryModelOf } from '../files/summary-model.ts';

/** The app to load, and its current version, which may still be valid. */
export interface AppPlace {
  /** Folder of all apps. */
  readonly dir: string;
  readonly name: string;
  readonly present?: App | undefined;
}

export interface LoadParts extends AgentParts {
  readonly codeApps: CodeApps;
  readonly remoteAgents?: RemoteAgents;
  readonly openLinks?: OpenLinks;
}

/** Reads and builds an app. Returns the current version if its files have not changed. Throws like `loadAgentFiles`. */
export async function loadApp({ dir, name, present }: AppPlace, parts: LoadParts): Promise<App> {
  const folder = await realpath(join(dir, name));
  const entry = await findEntry(folder);
  if (entry !== undefined) {
    const language = /\.[mc]?ts$/.test(entry) ? 'typescript' : 'javascript';
    return parts.codeApps.load({ request: { appName: name, folder, entry }, text: entry, language }, present);
  }
  const files = await loadAgentFiles(join(dir, name), {
    checkModel: (model) => parts.models.problemWith(model),
    checkTool: (tool) => parts.tools.check(tool),
    checkRemote: (definition) => parts.remoteAgents?.check(definition) ?? [],
    mayNameCode: true,
  });
  requireSummaryModel(files);
  if (namesCode(files.root)) return loadNamedCode({ name, folder, files, present }, parts);
  return present?.source === files.text ? present : assembleApp({ name, source: files.text, file: files.root }, parts);
}

/** A summary needs the name of a model. Code may give agents models that have none here. */
function requireSummaryModel(files: AgentFiles): void {
  const { root } = files;
  const key = 'events_compaction_config';
  if (root.definition[key] === undefined || summaryModelOf(root) !== undefined) return;
  const reason = 'needs summarizer.model, because the files of the app name no model';
  throw new AppFilesError([files.place({ file: root.file, key, reason })]);
}

interface NamedCode {
  readonly name: string;
  readonly folder: string;
  readonly files: AgentFiles;
  readonly present: App | undefined;
}

/** Agents in YAML that name code. */
async function loadNamedCode({ name, folder, files, present }: NamedCode, parts: LoadParts): Promise<App> {
  const request = { appName: name, folder, definition: files.root };
  // The worker tells a tree that the files do not.
  const graphJson = hasCodeAgents(files.root) ? undefined : printAppGraph(name, files.root);
  const links = parts.openLinks?.(name, files.root) ?? noLinks;
  try {
    const spec = { request, text: files.text, language: 'yaml' as const, links, ...(graphJson && { graphJson }) };
    return await parts.codeApps.load(spec, present);
  } catch (error) {
    if (!(error instanceof AppFilesError)) throw error;
    const { mistakes, isTimeout } = error;
    throw new AppFilesError(
      mistakes.map((mistake) => files.place(mistake)),
      { isTimeout },
    );
  }
}
