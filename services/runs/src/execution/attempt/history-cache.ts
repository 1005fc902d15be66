import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { LRUCache } from 'lru-cache';
import type { KeptWindow } from '../../apps/turns/history/history-window.ts';

/**
 * Cache of the windows of sessions that this process served recently, as JSON: what agents have made of it is forgotten within 100 ms of the last turn. The next turn of such a session reads only newer events.
 */
export interface HistoryCache {
  get(session: SessionKey): KeptWindow | undefined;
  set(session: SessionKey, window: KeptWindow): void;
  /** Drops everything of an account. */
  forget(accountId: string): void;
}

/** Time after which an unused window is dropped. */
const rememberedMs = 10 * 60_000;
/** Time for which a turn that comes at once finds the events of the last one in ADK's form. */
const warmMs = 50;

/** Holds at most `maxBytes` of events, measured as JSON; 0 switches the cache off. */
export function createHistoryCache(maxBytes: number): HistoryCache {
  if (maxBytes === 0) return { get: () => undefined, set: () => undefined, forget: () => undefined };
  const windows = new LRUCache<string, KeptWindow>({
    maxSize: maxBytes,
    ttl: rememberedMs,
    // Without it the cache starts a timer in each millisecond in which it is read.
    ttlResolution: 1_000,
    sizeCalculation: bytesOf,
  });
  const settleLater = createSettling();
  return {
    get: (session) => windows.get(nameOf(session)),
    set: (session, window) => {
      const name = nameOf(session);
      windows.set(name, window);
      settleLater(name, window);
    },
    forget: (accountId) => {
      const prefix = prefixOf(accountId);
      const names = Array.from(windows.keys()).filter((name) => name.startsWith(prefix));
      for (const name of names) windows.delete(name);
    },
  };
}

/**
 * Settles windows 50 to 100 ms later, with one timer for all. A window that a later turn has replaced is dropped at once: its events are those of the
 * later one, too, and what is kept for some milliseconds is copied by each collection of garbage.
 */
function createSettling() {
  let fresh = new Map<string, KeptWindow>();
  let older = new Map<string, KeptWindow>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    for (const { events } of older.values()) for (const event of events) event.settle();
    older = fresh;
    fresh = new Map();
    timer = older.size > 0 ? setTimeout(settle, warmMs).unref() : undefined;
  };
  return (name: string, window: KeptWindow): void => {
    older.delete(name);
    fresh.set(name, window);
    timer ??= setTimeout(settle, warmMs).unref();
  };
}

function bytesOf({ events }: KeptWindow): number {
  let bytes = 1;
  for (const { json } of events) bytes += json.length;
  return bytes;
}

/** Unlike any other one's, by the lengths of its parts. JSON would cost each run a microsecond more. */
function nameOf({ accountId, appName, userId, sessionId }: SessionKey): string {
  return `${prefixOf(accountId)}${appName.length}/${userId.length}/${appName}${userId}${sessionId}`;
}

function prefixOf(accountId: string): string {
  return `${accountId.length}/${accountId}`;
}
