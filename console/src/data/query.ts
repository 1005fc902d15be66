import { NotFoundError } from '@agentmesh/client';
import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** State of something on the server, as far as the browser knows it. Old data stays while it is read again. */
export interface Known<T> {
  readonly data?: T | undefined;
  readonly error?: Error | undefined;
  readonly isLoading: boolean;
}

interface Entry {
  readonly known: Signal<Known<unknown>>;
  read: () => Promise<unknown>;
  readers: number;
  readAtMs: number;
  /** The read that is under way may have begun before a change. */
  isStale: boolean;
  reading: Promise<void> | undefined;
}

const entries = new Map<string, Entry>();
/** Data of this age is shown without reading it again, in milliseconds. */
const freshMs = 2_000;

/** Beginnings of the keys whose changes the server tells at present, so that they need not be asked for again and again. */
export const told = signal<readonly string[]>([]);

export interface QueryOptions {
  /** Reads again after this time while the page is visible and its changes are not told, in milliseconds. */
  readonly everyMs?: number | undefined;
}

/** Reads something and keeps it by its key, e.g. `runs?status=failed`. Components that read the same key share it. */
export function useQuery<T>(key: string, read: () => Promise<T>, { everyMs }: QueryOptions = {}): Known<T> {
  const entry = entryOf(key);
  entry.read = read;
  useEffect(() => {
    entry.readers += 1;
    if (Date.now() - entry.readAtMs > freshMs) void refresh(entry);
    const timer =
      everyMs === undefined
        ? undefined
        : setInterval(() => document.hidden || isTold(key) || void refresh(entry), everyMs);
    return () => {
      entry.readers -= 1;
      clearInterval(timer);
    };
  }, [key, everyMs]);
  return entry.known.value as Known<T>;
}

function isTold(key: string): boolean {
  return told.peek().some((prefix) => key.startsWith(prefix));
}

function entryOf(key: string): Entry {
  const found = entries.get(key);
  if (found !== undefined) return found;
  const known = signal<Known<unknown>>({ isLoading: true });
  const entry = { known, read: () => Promise.resolve(), readers: 0, readAtMs: 0, isStale: false, reading: undefined };
  entries.set(key, entry);
  return entry;
}

function refresh(entry: Entry): Promise<void> {
  entry.reading ??= readUntilCurrent(entry);
  return entry.reading;
}

async function readUntilCurrent(entry: Entry): Promise<void> {
  do await readOnce(entry);
  while (entry.isStale);
  entry.reading = undefined;
}

async function readOnce(entry: Entry): Promise<void> {
  const { data } = entry.known.peek();
  entry.known.value = { ...entry.known.peek(), isLoading: true };
  entry.isStale = false;
  try {
    const next = await entry.read();
    entry.readAtMs = Date.now();
    entry.known.value = { data: next, isLoading: false };
  } catch (error) {
    // A thing that was deleted is not shown as if it were there.
    const isGone = error instanceof NotFoundError;
    entry.known.value = { data: isGone ? undefined : data, error: asError(error), isLoading: false };
  }
}

/** Reads everything again whose key begins like this: at once where it is shown, else when it is shown next. A hidden tab waits until it is seen. */
export async function invalidate(...prefixes: readonly string[]): Promise<void> {
  const found = Array.from(entries).filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)));
  for (const [, entry] of found) [entry.readAtMs, entry.isStale] = [0, true];
  if (document.hidden) return;
  await Promise.all(found.filter(([, { readers }]) => readers > 0).map(([, entry]) => refresh(entry)));
}

/** Lists by their keys, as far as they were read, for those who come back to one. */
export const leftLists = new Map<string, unknown>();

export function forgetAll(): void {
  entries.clear();
  leftLists.clear();
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function refreshOld(): void {
  if (document.hidden) return;
  for (const entry of entries.values())
    if (entry.readers > 0 && Date.now() - entry.readAtMs > 10_000) void refresh(entry);
}

addEventListener('focus', refreshOld);
document.addEventListener('visibilitychange', refreshOld);
