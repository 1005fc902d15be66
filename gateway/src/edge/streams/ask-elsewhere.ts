import { setTimeout as delay } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Leaving } from '@agentmesh/lib/wait';

/** Reasons with which a replica that is stopping refuses a run before anything was done for it. */
const refusals = new Set(['draining', 'runs_draining']);
/** How long another replica is looked for, in milliseconds: callers find a new one within a few seconds. */
const patienceMs = 10_000;
const pauseMs = 200;

/** Whether a replica that is stopping has refused the call: nothing was done for it. */
function isRefused(error: unknown): boolean {
  return error instanceof MeshError && refusals.has(error.reason);
}

/** Whether the replica is away: a call that only reads may be sent to another one. */
export function isAway(error: unknown): boolean {
  return error instanceof MeshError && error.code === 'unavailable';
}

/** Repeats a call while its error says that another replica may answer it. Ends with the error when `left` has ended, or after 10 s. */
export async function askElsewhere<T>(
  ask: () => Promise<T>,
  left?: Pick<Leaving, 'ended'>,
  mayRepeat: (error: unknown) => boolean = isRefused,
): Promise<T> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayRepeat(error) || left?.ended !== undefined || performance.now() > endsAt) throw error;
    }
    await delay(pauseMs);
  }
}
