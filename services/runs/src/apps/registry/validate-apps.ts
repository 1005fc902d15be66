import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { createCodeApps } from '../code/host/code-apps.ts';
import { createModels } from '../../models/index.ts';
import { quietAdk } from './quiet-adk.ts';
import type { AppsConfig } from './apps-config.ts';
import { createAppShelf } from './app-shelf.ts';
import { printMistake } from '../definition/mistake.ts';
import { findEntry, rootFile } from '../files/root-file.ts';
import { openTools } from './open-tools.ts';

/** Apps and mistakes that were found in a folder. */
export interface Validation {
  /** Names of apps that can run. */
  readonly good: readonly string[];
  /** `app/file:line:column: key: reason`, each mistake one line. */
  readonly mistakes: readonly string[];
}

/**
 * Checks an app's folder, or each app in a folder of apps, as the service loads them: code of apps is loaded in workers. Calls no model, tool or
 * server. Rejects with the
 * system's error when there is no such folder.
 */
export async function validateApps(folder: string, config: AppsConfig): Promise<Validation> {
  const log = createLogger({ level: 'silent', name: 'validate' });
  quietAdk(log);
  await using resources = new AsyncDisposableStack();
  const { dir, names } = await findApps(resolve(folder));
  const openKey = () => Promise.reject(new Error('No key is opened while apps are checked.'));
  const tools = openTools({ log, resources, openKey, openHeaders: openKey }, { ...config, agentsDir: dir });
  const models = createModels(config.models);
  const limits = { maxModelCalls: config.limits.modelCalls, toolTimeoutMs: config.tools.timeoutMs };
  const code = { config: config.code, limits, models, fetch: tools.fetch, log };
  const codeApps = resources.use(createCodeApps(code));
  const { ofFiles, remoteAgents, openLinks } = tools;
  const options = { dir, log, models, tools: ofFiles, remoteAgents, openLinks, codeApps, ...limits };
  const shelf = createAppShelf(options, () => undefined);
  for (const name of names) await shelf.load(name);
  const mistakes = [...shelf.mistakes].flatMap(([name, found]) =>
    found.map((mistake) => printMistake({ ...mistake, file: join(name, mistake.file) })),
  );
  return { good: [...shelf.apps.keys()], mistakes };
}

/** A folder with a root file is one app; any other is a folder of apps. */
async function findApps(folder: string): Promise<{ dir: string; names: readonly string[] }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const isApp = entries.some(({ name }) => name === rootFile) || (await findEntry(folder)) !== undefined;
  if (isApp) return { dir: dirname(folder), names: [basename(folder)] };
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return { dir: folder, names: folders.map(({ name }) => name) };
}
