import { setTimeout as delay } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';

/** Reasons with which a replica that is stopping refuses a run before anything was done for it. */
const refusals = new Set(['draining', 'runs_draining']);
/** How long another replica is looked for, in milliseconds: callers find a new one within a few seconds. */
const patienceMs = 10_000;
const pauseMs = 200;

/** Repeats a call that starts a run while replicas that are stopping refuse it. Ends with the refusal when `left` aborts, or after 10 s. */
export async function askElsewhere<T>(ask: () => Promise<T>, left?: AbortSignal): Promise<T> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isRefused = error instanceof MeshError && refusals.has(error.reason);
      if (!isRefused || left?.aborted === true || performance.now() > endsAt) throw error;
    }
    await delay(pauseMs);
  }
}
