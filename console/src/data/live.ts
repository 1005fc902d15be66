import type { ChangeEvent } from '@agentmesh/client';
import { mesh } from './client.ts';
import { invalidate, told } from './query.ts';
import { countWaiting } from './waiting.ts';

/** Keys of what a change of this kind concerns. */
const concerned = {
  run: ['runs', 'run:', 'usage', 'sessions', 'schedule'],
  wait: ['runs', 'run:'],
  notification: ['notifications'],
  agent: ['agents', 'agent:', 'apps'],
  schedule: ['schedule'],
} as const;
const all = Object.values(concerned).flat();
/** Changes of this time are read together, in milliseconds. */
const gatherMs = 400;
const againMs = 15_000;

/**
 * Keeps what is shown current as long as somebody is signed in. One tab of the browser reads the stream of changes and passes them on to the
 * others; when it closes, another tab takes over.
 */
export function followChanges(account: string): () => void {
  const leaving = new AbortController();
  const channel = new BroadcastChannel(`agentmesh-changes:${account}`);
  const apply = gather();
  channel.onmessage = ({ data }: MessageEvent<ChangeEvent>) => apply(data);
  const lead = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await read(signal, (change) => {
        apply(change);
        channel.postMessage(change);
      }).catch(() => undefined);
      told.value = [];
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  };
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) whileSeen(lead, leaving.signal);
  else locks.request(channel.name, { signal: leaving.signal }, () => lead(leaving.signal)).catch(() => undefined);
  return () => {
    leaving.abort();
    channel.close();
    told.value = [];
  };
}

/**
 * Pages of plain HTTP have no locks, and a browser opens six connections to their server for all tabs together: there each tab that is seen reads
 * a stream of its own.
 */
function whileSeen(lead: (signal: AbortSignal) => Promise<void>, leaving: AbortSignal): void {
  let hiding = new AbortController();
  const look = (): void => {
    hiding.abort();
    if (document.hidden) return;
    hiding = new AbortController();
    void lead(AbortSignal.any([leaving, hiding.signal]));
  };
  document.addEventListener('visibilitychange', look, { signal: leaving });
  look();
}

async function read(signal: AbortSignal, tell: (change: ChangeEvent) => void): Promise<void> {
  for await (const change of mesh.changes.stream({ signal })) tell(change);
}

/** Collects changes for a moment, so that many runs at once are read once. */
function gather(): (change: ChangeEvent) => void {
  const prefixes = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const keys = Array.from(prefixes);
    prefixes.clear();
    void invalidate(...keys);
    if (keys.includes('run:')) void countWaiting().catch(() => undefined);
  };
  return (change) => {
    told.value = all;
    for (const prefix of change.gap === true ? all : concerned[change.kind]) prefixes.add(prefix);
    timer ??= setTimeout(flush, gatherMs);
  };
}
