import { setTimeout as delay } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';

const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Reasons of `unavailable` that no outage has: the mesh is set up like this. */
const lasting = new Set(['service_unreachable', 'identity_refused']);

export interface Patience {
  /** Ends the wait: then its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Time in milliseconds after which an outage is reported. */
  readonly patienceMs: number;
}

/**
 * Repeats a call while its service or the database behind it cannot be reached, so that a run lives through it as its journal does. The call has no effect, or
 * the same one when it is repeated.
 */
export async function outlastOutage<T>(call: () => T | Promise<T>, { signal, patienceMs }: Patience): Promise<T> {
  const endsAt = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayPass(error) || performance.now() + pauseMs > endsAt) throw error;
    }
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof MeshError)) return false;
  return error.code === 'deadline_exceeded' || (error.code === 'unavailable' && !lasting.has(error.reason));
}
