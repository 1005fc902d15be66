import { join, resolve } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { createCodeApps } from '../code/host/code-apps.ts';
import { createModels } from '../../models/index.ts';
import { quietAdk } from './quiet-adk.ts';
import { findAppsFolder, foldersIn } from './apps-folder.ts';
import type { AppsConfig } from './apps-config.ts';
import { createAppShelf } from './app-shelf.ts';
import { printMistake } from '../definition/mistake.ts';
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
  const found = await findAppsFolder(resolve(folder));
  const { dir } = found;
  const openKey = () => Promise.reject(new Error('No key is opened while apps are checked.'));
  const tools = openTools({ log, resources, openKey, openHeaders: openKey }, { ...config, agentsDir: dir });
  const models = createModels(config.models);
  const limits = { maxModelCalls: config.limits.modelCalls, toolTimeoutMs: config.tools.timeoutMs };
  const code = { config: config.code, limits, models, fetch: tools.fetch, log };
  const codeApps = resources.use(createCodeApps(code));
  const { ofFiles, remoteAgents, openLinks } = tools;
  const options = { dir, log, models, tools: ofFiles, remoteAgents, openLinks, codeApps, ...limits };
  const shelf = createAppShelf(options, () => undefined);
  const names = found.only === undefined ? await foldersIn(dir) : [found.only];
  for (const name of names) await shelf.load(name);
  const mistakes = [...shelf.mistakes].flatMap(([name, list]) =>
    list.map((mistake) => printMistake({ ...mistake, file: join(name, mistake.file) })),
  );
  return { good: [...shelf.apps.keys()], mistakes };
}
