import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Registry } from './registry.ts';

export interface WatchOptions {
  readonly dir: string;
  readonly registry: Registry;
  readonly log: Logger;
}

/** Delay after a change, because an editor writes a file in several steps. */
const quietMs = 100;

/** Reloads an app when something in its folder changes, until disposed. Resolves when the watch is set. */
export async function watchApps({ dir, registry, log }: WatchOptions): Promise<AsyncDisposable> {
  const pending = new Map<string, NodeJS.Timeout>();
  const watcher = watch(dir, { ignoreInitial: true, depth: 8 });
  const reload = async (name: string): Promise<void> => {
    pending.delete(name);
    // Mounted volumes swap all files at once by means of hidden folders.
    await (name.startsWith('.') ? registry.reloadAll() : registry.reload(name));
  };
  watcher.on('all', (_, path) => {
    const [name] = relative(dir, path).split(sep);
    if (name === undefined || name === '' || name === '..') return;
    clearTimeout(pending.get(name));
    pending.set(
      name,
      setTimeout(() => void reload(name), quietMs),
    );
  });
  watcher.on('error', (err) =>
    log.warn({ err, dir }, 'watching AGENTS_DIR failed: changes of its files may be missed'),
  );
  await new Promise<void>((resolve) => void watcher.once('ready', resolve));
  return {
    async [Symbol.asyncDispose]() {
      for (const timer of pending.values()) clearTimeout(timer);
      await watcher.close();
    },
  };
}
