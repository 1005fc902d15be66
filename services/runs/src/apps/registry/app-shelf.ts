import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@agentmesh/lib/telemetry';
import { isAgentAppName } from '../agents/agent-id.ts';
import type { App } from '../building/app.ts';
import { type AppVersion, appVersion, type ServedApp } from '../building/app-version.ts';
import { AppFilesError, type Mistake, printMistake } from '../definition/mistake.ts';
import { listFolder, versionOf } from '../files/folder-files.ts';
import { rootFile } from '../files/root-file.ts';
import { type LoadParts, loadApp } from './load-app.ts';

/** The current version of every app, and the mistakes in files that cannot be used. */
export interface AppShelf {
  readonly apps: ReadonlyMap<string, ServedApp>;
  /** By app; never empty. An app that is in `apps` too serves with its last good version. */
  readonly mistakes: ReadonlyMap<string, readonly Mistake[]>;
  /** Those of them whose code was not loaded in time. */
  readonly late: ReadonlySet<string>;
  /** The stamp of each app's folder when it was read; see FolderFiles. */
  readonly stamps: ReadonlyMap<string, string>;
  /** Reads an app's files and replaces its version if they are good. Never rejects. */
  load(name: string): Promise<void>;
}

export interface AppShelfOptions extends LoadParts {
  /** Folder with one folder per app. */
  readonly dir: string;
  readonly log: Logger;
}

/** `onLoaded` is told of each version of an app that begins to serve. */
export function createAppShelf(options: AppShelfOptions, onLoaded: (name: string) => void): AppShelf {
  const { dir, log } = options;
  const apps = new Map<string, ServedApp>();
  const built = new Map<string, App>();
  const mistakes = new Map<string, readonly Mistake[]>();
  const late = new Set<string>();
  const stamps = new Map<string, string>();

  const onFailure = (name: string, err: unknown): void => {
    const failure = describe(err);
    if (failure === undefined || failure.isGone) {
      built.get(name)?.retire?.();
      built.delete(name);
      apps.delete(name);
    }
    mistakes.delete(name);
    if (failure === undefined) return;
    mistakes.set(name, failure.mistakes);
    if (failure.isTimeout) late.add(name);
    else markStale(apps, name);
    if (failure.isTimeout) log.warn(factsOf(name, failure, err), 'app was not loaded in time: it is loaded again soon');
    else log.error(factsOf(name, failure, err), outcome(apps.has(name)));
  };
  return {
    apps,
    mistakes,
    late,
    stamps,
    async load(name) {
      const folder = join(dir, name);
      const files = await listFolder(folder);
      stamps.set(name, files.stamp);
      try {
        if (isAgentAppName(name)) await refuseAgentName(folder);
        const present = built.get(name);
        const app = await loadApp({ dir, name, present }, options);
        if (present !== app || mistakes.has(name)) onLoaded(name);
        if (present !== app) present?.retire?.();
        built.set(name, app);
        const version = appVersion(await versionOf(files));
        if (present !== app || !isSame(apps.get(name)?.version, version)) apps.set(name, { ...app, version });
        mistakes.delete(name);
        late.delete(name);
      } catch (error) {
        late.delete(name);
        onFailure(name, error);
      }
    },
  };
}

function factsOf(app: string, failure: Failure, err: unknown) {
  return { app, mistakes: failure.mistakes.map(printMistake), ...(err instanceof AppFilesError ? {} : { err }) };
}

function isSame(known: AppVersion | undefined, version: AppVersion): boolean {
  return known !== undefined && Buffer.compare(known.json, version.json) === 0;
}

function markStale(apps: Map<string, ServedApp>, name: string): void {
  const app = apps.get(name);
  if (app !== undefined) apps.set(name, { ...app, version: appVersion({ ...app.version.agent, state: 'stale' }) });
}

const agentName = 'names like agent12 belong to agents that are made under /api/agents: rename this folder';

/** Throws AppFilesError when there is such a folder. */
async function refuseAgentName(folder: string): Promise<void> {
  await access(folder);
  throw new AppFilesError([{ file: '', key: '', reason: agentName }], { isRootMissing: true });
}

function outcome(servesLastVersion: boolean): string {
  return servesLastVersion ? 'app cannot be loaded: its last good version goes on serving' : 'app cannot be loaded';
}

interface Failure {
  readonly mistakes: readonly Mistake[];
  /** The folder has no root file any more, so no version of the app is kept. */
  readonly isGone: boolean;
  readonly isTimeout: boolean;
}

/** Undefined when the folder is gone, or is a file. */
function describe(error: unknown): Failure | undefined {
  if (error instanceof AppFilesError) {
    const { mistakes, isRootMissing: isGone, isTimeout } = error;
    return { mistakes, isGone, isTimeout };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  const reason = code === '' ? 'the files cannot be loaded' : `the files cannot be read (${code})`;
  return { mistakes: [{ file: rootFile, key: '', reason }], isGone: false, isTimeout: false };
}
