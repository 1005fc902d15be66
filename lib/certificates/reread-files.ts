import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../telemetry/index.ts';

export interface RereadOptions<Name extends string, T> {
  /** Paths by name. */
  readonly files: Readonly<Record<Name, string>>;
  /** Makes what is used of their texts. Throws when they are of no use. */
  readonly use: (texts: Readonly<Record<Name, string>>) => T;
  readonly log: Logger;
  /** Pause in milliseconds between two looks. Default 2,000; tests shorten it. */
  readonly pauseMs?: number | undefined;
}

/** The contents of files that change. Disposing it ends the looks at them. */
export interface RereadFiles<T> extends Disposable {
  /** Made of the newest texts that were of use. */
  readonly current: T;
  /** Calls `listener` after each change, until it is disposed. */
  onChange(listener: () => void): Disposable;
}

const pauseMs = 2_000;

/**
 * Reads files, and looks every two seconds whether they have changed. Kubernetes replaces the folder of a mounted Secret through a link, which a watch of a
 * file does not see. New texts are used when two looks in a row have found them, so files that are written one after the other are taken together. Those that are
 * of no use are told in one warning, and the former ones stay. Rejects with the error of the first look.
 */
export async function rereadFiles<Name extends string, T>(options: RereadOptions<Name, T>): Promise<RereadFiles<T>> {
  const { files, use, log } = options;
  const first = await read(files);
  const listeners = new Set<() => void>();
  let current = use(first);
  /** Fingerprints of the texts that were used or refused last, and of those that the look before has found. */
  let [decided, seen] = [fingerprint(first), fingerprint(first)];
  const decide = (found: Record<Name, string> | Error): void => {
    try {
      if (found instanceof Error) throw found;
      current = use(found);
    } catch (err) {
      return log.warn({ err, files }, 'files that have changed are of no use: the former ones stay in use');
    }
    log.info({ files }, 'files that have changed are in use');
    for (const listener of listeners) listener();
  };
  const look = async (): Promise<void> => {
    const found = await read(files).catch((error: unknown) => error as Error);
    const print = fingerprint(found);
    const isSettled = print === seen;
    seen = print;
    if (!isSettled || print === decided) return;
    decided = print;
    decide(found);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, options.pauseMs ?? pauseMs).unref();
  return {
    get current() {
      return current;
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function read<Name extends string>(files: Readonly<Record<Name, string>>): Promise<Record<Name, string>> {
  const entries = Object.entries<string>(files);
  const texts = await Promise.all(entries.map(async ([name, file]) => [name, await readFile(file, 'utf8')] as const));
  return Object.fromEntries(texts) as Record<Name, string>;
}

function fingerprint(found: Readonly<Record<string, string>> | Error): string {
  const text = found instanceof Error ? found.message : JSON.stringify(Object.entries(found));
  return createHash('sha256').update(text).digest('hex');
}
