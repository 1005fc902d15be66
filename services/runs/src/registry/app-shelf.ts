import type { Logger } from '@agentmesh/lib/telemetry';
import type { App } from './app.ts';
import { AppFileError } from './app-file-error.ts';
import type { AgentParts } from './build-agent.ts';
import { loadApp } from './load-app.ts';

/** The present version of every app, and what is wrong with those that have none. */
export interface AppShelf {
  readonly apps: ReadonlyMap<string, App>;
  /** Text for the app's author, by app. */
  readonly problems: ReadonlyMap<string, string>;
  /** Reads an app's files and replaces its version, if they are good. Never rejects. */
  load(name: string): Promise<void>;
}

export interface AppShelfOptions extends AgentParts {
  /** Folder with one folder per app. */
  readonly dir: string;
  readonly log: Logger;
}

export function createAppShelf(options: AppShelfOptions): AppShelf {
  const { dir, log } = options;
  const apps = new Map<string, App>();
  const problems = new Map<string, string>();

  const onFailure = (name: string, err: unknown): void => {
    if (isAbsent(err)) {
      apps.delete(name);
      problems.delete(name);
      return;
    }
    const problem = err instanceof AppFileError ? err.message : 'Its files cannot be loaded.';
    problems.set(name, problem);
    log.error({ app: name, problem, err, keepsLastVersion: apps.has(name) }, 'app cannot be loaded');
  };
  return {
    apps,
    problems,
    async load(name) {
      try {
        const app = await loadApp({ dir, name, present: apps.get(name) }, options);
        if (apps.get(name) !== app) log.info({ app: name }, 'app loaded');
        apps.set(name, app);
        problems.delete(name);
      } catch (error) {
        onFailure(name, error);
      }
    },
  };
}

/** The folder or its root file is not there. */
function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
