import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@agentmesh/lib/telemetry';
import { withinDeadline } from '@agentmesh/lib/wait';
import { appHasMistakes, appInternal, appLoading, appNotFound } from '../../errors.ts';
import type { ServedApp } from '../building/app-version.ts';
import { servesApp } from './app-names.ts';
import { foldersIn, isFolderOfApp } from './apps-folder.ts';
import { type AppShelf, type AppShelfOptions, createAppShelf } from './app-shelf.ts';
import { LateApps } from './late-apps.ts';
import { closestName } from '../../closest-name.ts';
import { type Mistake, printMistake } from '../definition/mistake.ts';
import { listFolder } from '../files/folder-files.ts';
import { rootFile } from '../files/root-file.ts';

/** The applications of `AGENTS_DIR`. */
export interface Registry extends Disposable {
  /** Apps that can run, sorted by name. */
  list(): readonly ServedApp[];
  /** Mistakes by app; an app that is in `list` too serves with its last good version. */
  mistakes(): ReadonlyMap<string, readonly Mistake[]>;
  /** Apps that cannot run yet: their code is being loaded, for the first time or after it was not loaded in time. */
  pending(): readonly string[];
  /**
   * Throws MeshError permission_denied `app_internal`, unavailable `app_loading` while the code of an app is loaded again, or not_found `app_not_found`.
   * The latter names the closest app and the mistakes in the files that could not be loaded.
   */
  get(name: string): ServedApp;
  /**
   * Like `get`, of files that are read first when they have changed. Rejects with MeshError failed_precondition `app_has_mistakes` instead of answering the
   * last good version.
   */
  latest(name: string): Promise<ServedApp>;
  /** Resolves when an app that has never been loaded is; undefined when no such app is being loaded. */
  loading(name: string): Promise<void> | undefined;
  /** Reads one app again. An app with mistakes keeps its last good version; an app whose root file is gone is removed. */
  reload(name: string): Promise<void>;
  /** Reads all apps again. */
  reloadAll(): Promise<void>;
  /** Reads one app again if its files are not those that were read. Resolves to whether it did. Never rejects. */
  refresh(name: string): Promise<boolean>;
  /** The same for all apps. */
  refreshAll(): Promise<void>;
  /** Throws when the folder cannot be read. */
  check(): Promise<void>;
}

export interface RegistryOptions extends AppShelfOptions {
  /** Apps that are loaded; absent or empty: all. */
  readonly served?: readonly string[];
}

/** The service starts without apps that take longer to load; their runs wait. */
const startMs = 10_000;

/** Loads every app. An app whose files cannot be used is logged and is not in `list`; the others are. */
export async function createRegistry(options: RegistryOptions): Promise<Registry> {
  const { dir, log, served = [] } = options;
  const lines = loadLines(log);
  const shelf = createAppShelf(options, lines.loaded);
  let sorted: readonly ServedApp[] = [];
  const loads = new Map<string, Promise<void>>();

  const load = async (name: string): Promise<void> => {
    await shelf.load(name);
    sorted = [...shelf.apps.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    late.note(name, shelf.late.has(name));
  };
  const oneByOne = inTurn(loads, load);
  const late = new LateApps((name) => void oneByOne(name));
  const allNames = async (): Promise<Set<string>> => {
    const names = [...(await foldersOf(options)), ...shelf.apps.keys(), ...shelf.mistakes.keys()];
    return new Set(names.filter((name) => servesApp(served, name)));
  };
  const refresh = async (name: string): Promise<boolean> => {
    const isChanged = isFolderOfApp(name) && servesApp(served, name) && (await isOther(name, options, shelf));
    if (isChanged) await oneByOne(name);
    return isChanged;
  };
  const registry: Registry = {
    list: () => sorted,
    mistakes: () => shelf.mistakes,
    pending: () => [...new Set([...loads.keys(), ...shelf.late])].filter((name) => isPending(name, { shelf, late })),
    get(name) {
      if (name.startsWith('__')) throw appInternal();
      const app = shelf.apps.get(name);
      if (app === undefined) throw late.has(name) ? appLoading(name) : appNotFound(name, hintFor(name, shelf));
      return app;
    },
    async latest(name) {
      if (!(await refresh(name))) await loads.get(name);
      return requireGood(registry.get(name), shelf);
    },
    loading: (name) => (shelf.apps.has(name) || shelf.mistakes.has(name) ? undefined : loads.get(name)),
    reload: (name) => (isFolderOfApp(name) && servesApp(served, name) ? oneByOne(name) : Promise.resolve()),
    reloadAll: async () => void (await Promise.all(Array.from(await allNames(), oneByOne))),
    refresh,
    refreshAll: async () => void (await Promise.all(Array.from(await allNames(), refresh))),
    check: async () => void (await readdir(dir)),
    [Symbol.dispose]: () => late[Symbol.dispose](),
  };
  await withinDeadline(registry.reloadAll(), startMs, () => log.warn('some apps take long to load'));
  lines.started();
  return registry;
}

/** A slow older read of an app must not overwrite a newer one, and must not keep other apps waiting. `loads`: those under way, by app. */
function inTurn(loads: Map<string, Promise<void>>, load: (name: string) => Promise<void>) {
  return (name: string): Promise<void> => {
    const done = (loads.get(name) ?? Promise.resolve()).then(() => load(name));
    loads.set(name, done);
    void done.then(() => loads.get(name) === done && loads.delete(name));
    return done;
  };
}

/** True when the files of an app are not those that were read. */
async function isOther(name: string, { dir }: RegistryOptions, { stamps }: AppShelf): Promise<boolean> {
  const { stamp } = await listFolder(join(dir, name));
  return stamp !== (stamps.get(name) ?? '');
}

/** Log lines of loaded apps. Those of the start share one, which `started` writes. */
function loadLines(log: Logger) {
  let first: string[] | undefined = [];
  return {
    loaded: (app: string): void => {
      if (first === undefined) log.info({ app }, 'app loaded');
      else first.push(app);
    },
    started: (): void => {
      if (first !== undefined && first.length > 0) log.info({ apps: first.toSorted() }, 'apps loaded');
      first = undefined;
    },
  };
}

/** Throws where newer files of the app cannot be used. */
function requireGood(app: ServedApp, { mistakes, late }: AppShelf): ServedApp {
  const found = mistakes.get(app.name);
  if (found === undefined) return app;
  throw late.has(app.name) ? appLoading(app.name) : appHasMistakes(app.name, printAll(app.name, found));
}

/** An app with mistakes does not become one that can run by being loaded again. */
function isPending(name: string, { shelf, late }: { readonly shelf: AppShelf; readonly late: LateApps }): boolean {
  return !shelf.apps.has(name) && (late.has(name) || !shelf.mistakes.has(name));
}

function hintFor(name: string, { apps, mistakes }: AppShelf): string {
  const own = mistakes.get(name);
  if (own !== undefined) return printAll(name, own);
  const meant = closestName(name, [...apps.keys(), ...mistakes.keys()]);
  if (meant === undefined) return `Searched in '${name}/${rootFile}'.`;
  const broken = apps.has(meant) ? undefined : mistakes.get(meant);
  return `Did you mean '${meant}'?${broken === undefined ? '' : ` It cannot be loaded: ${printAll(meant, broken)}`}`;
}

/** Each with its path from `AGENTS_DIR`. */
function printAll(app: string, mistakes: readonly Mistake[]): string {
  return mistakes.map((mistake) => printMistake({ ...mistake, file: `${app}/${mistake.file}` })).join('\n');
}

/** None when `AGENTS_DIR` cannot be read, which the log says. */
function foldersOf({ dir, log }: RegistryOptions): Promise<string[]> {
  return foldersIn(dir).catch((err: unknown) => {
    log.error({ err, dir }, 'AGENTS_DIR cannot be read');
    return [];
  });
}
