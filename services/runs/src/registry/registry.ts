import { readdir } from 'node:fs/promises';
import { appInternal, appNotFound } from '../errors.ts';
import type { App } from './app.ts';
import { type AppShelfOptions, createAppShelf } from './app-shelf.ts';

/** The applications of `AGENTS_DIR`. */
export interface Registry {
  /** Those that can run, sorted by name. */
  list(): readonly App[];
  /** Throws MeshError permission_denied `app_internal` or not_found `app_not_found`; the latter says what is wrong with the files. */
  get(name: string): App;
  /** Reads one app again. An app that cannot be used any more keeps its last good version; one whose root file is gone goes. */
  reload(name: string): Promise<void>;
  /** Reads all apps again. */
  reloadAll(): Promise<void>;
  /** Throws when the folder cannot be read. */
  check(): Promise<void>;
}

/** Loads every app. Files that cannot be used are logged and hide nothing but their own app. */
export async function createRegistry(options: AppShelfOptions): Promise<Registry> {
  const { dir, log } = options;
  const shelf = createAppShelf(options);
  let sorted: readonly App[] = [];
  let turn = Promise.resolve();

  const load = async (names: Iterable<string>): Promise<void> => {
    for (const name of names) await shelf.load(name);
    sorted = [...shelf.apps.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  // One after the other: a slow older read must not overtake a newer one.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work);
    return turn;
  };
  const allNames = async (): Promise<Set<string>> => {
    const found = await listFolders(dir).catch((err: unknown) => {
      log.error({ err, dir }, 'AGENTS_DIR cannot be read');
      return [];
    });
    return new Set([...found, ...shelf.apps.keys()]);
  };
  const registry: Registry = {
    list: () => sorted,
    get(name) {
      if (name.startsWith('__')) throw appInternal();
      const app = shelf.apps.get(name);
      if (app === undefined) throw appNotFound(name, shelf.problems.get(name));
      return app;
    },
    reload: (name) => (isAppName(name) ? inTurn(() => load([name])) : Promise.resolve()),
    reloadAll: () => inTurn(async () => load(await allNames())),
    check: async () => void (await readdir(dir)),
  };
  await registry.reloadAll();
  return registry;
}

async function listFolders(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.filter((entry) => !entry.isFile() && isAppName(entry.name)).map((entry) => entry.name);
}

function isAppName(name: string): boolean {
  return name !== '' && !name.startsWith('.') && !name.startsWith('__');
}
