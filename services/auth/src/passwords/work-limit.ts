import { callCanceled, passwordWorkBusy } from '../errors.ts';

/** Runs pieces of work in the order of the calls, a limited number at once. */
export interface WorkLimit {
  /**
   * If `signal` aborts before the work has started, the work is not started.
   *
   * @throws MeshError canceled after such an abort; resource_exhausted `password_work_busy` when too many wait
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** At most `concurrency` pieces of work run at once, and at most `maxWaiting` wait. */
export function createWorkLimit(concurrency: number, maxWaiting: number): WorkLimit {
  const waiting = new Set<() => void>();
  let free = concurrency;

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw callCanceled(signal.reason);
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.size >= maxWaiting) throw passwordWorkBusy();
    await waitForTurn(waiting, signal);
  }

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function waitForTurn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      waiting.delete(begin);
      reject(callCanceled(signal?.reason));
    };
    const begin = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    waiting.add(begin);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
