import { join, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import type { Logger } from '@agentmesh/lib/telemetry';
import { LaterLooks } from './later-looks.ts';
import type { Registry } from './registry.ts';

export interface WatchOptions {
  readonly dir: string;
  /** The one app whose folder is watched; undefined or absent: all of `dir`. */
  readonly only?: string | undefined;
  readonly registry: Pick<Registry, 'refresh' | 'refreshAll' | 'reload' | 'reloadAll'>;
  readonly log: Logger;
  /** Tells of changes of files; chokidar by default. It may lose some. */
  readonly watchFiles?: typeof watch;
}

export interface AppsWatch extends AsyncDisposable {
  /** Resolves when the files of an app that have been saved are in use, or have mistakes; undefined when none were saved. */
  settled(name: string): Promise<void> | undefined;
}

/** Delay after a change, because an editor writes a file in several steps. */
const quietMs = 100;
/** Runs wait for files that an app is made of. An app may write other files all the time. */
const decisive = /\.(ya?ml|json|[cm]?[jt]s)$/;

/**
 * Reloads an app when something in its folder changes, until disposed. Resolves when the watch is set; what has changed since the apps were read is being read
 * then.
 */
export async function watchApps({ dir, only, registry, log, watchFiles = watch }: WatchOptions): Promise<AppsWatch> {
  const timers = new Map<string, NodeJS.Timeout>();
  const changes = new Map<string, PromiseWithResolvers<void>>();
  const looks = new LaterLooks((name) => registry.refresh(name));
  const watcher = watchFiles(only === undefined ? dir : join(dir, only), { ignoreInitial: true, depth: 8 });
  const reload = async (name: string): Promise<void> => {
    timers.delete(name);
    const change = changes.get(name);
    await reloadNamed(name, registry);
    change?.resolve();
    if (!isOfVolume(name)) looks.begin(name);
    // A file that was saved meanwhile is waited for by those that come now.
    if (!timers.has(name) && changes.get(name) === change) changes.delete(name);
    else if (change !== undefined) changes.set(name, Promise.withResolvers());
  };
  watcher.on('all', (_, path) => {
    const [name] = relative(dir, path).split(sep);
    if (name === undefined || name === '' || name === '..') return;
    if (!changes.has(name) && (isOfVolume(name) || decisive.test(path))) changes.set(name, Promise.withResolvers());
    clearTimeout(timers.get(name));
    timers.set(
      name,
      setTimeout(() => void reload(name), quietMs),
    );
  });
  watcher.on('error', (err) =>
    log.warn({ err, dir }, 'watching AGENTS_DIR failed: changes of its files may be missed'),
  );
  await new Promise<void>((resolve) => void watcher.once('ready', resolve));
  void registry.refreshAll();
  return {
    settled(name) {
      if (changes.size === 0) return undefined;
      const change = changes.get(name) ?? [...changes].find(([of]) => isOfVolume(of))?.[1];
      return change?.promise;
    },
    async [Symbol.asyncDispose]() {
      looks[Symbol.dispose]();
      for (const timer of timers.values()) clearTimeout(timer);
      for (const change of changes.values()) change.resolve();
      await watcher.close();
    },
  };
}

/** Mounted volumes swap all files at once by means of hidden folders. */
function isOfVolume(name: string): boolean {
  return name.startsWith('.');
}

function reloadNamed(name: string, registry: Pick<Registry, 'reload' | 'reloadAll'>): Promise<void> {
  return isOfVolume(name) ? registry.reloadAll() : registry.reload(name);
}
