import { callCanceled, passwordWorkBusy } from '../errors.ts';

export interface WorkOptions {
  /** If it aborts before the work has started, the work is not started. */
  readonly signal?: AbortSignal | undefined;
  /** False: the work begins only when no urgent work waits. True when left out. */
  readonly isUrgent?: boolean | undefined;
}

/** Runs pieces of work, a limited number at once: urgent work first, and otherwise in the order of the calls. */
export interface WorkLimit {
  /**
   * @throws MeshError canceled after an abort; resource_exhausted `password_work_busy` when too many wait
   */
  run<T>(work: () => Promise<T>, options?: WorkOptions): Promise<T>;
}

/** Most pieces of work that wait. */
export interface QueueLengths {
  readonly urgent: number;
  readonly other: number;
}

/** At most `concurrency` pieces of work run at once. */
export function createWorkLimit(concurrency: number, most: QueueLengths): WorkLimit {
  const queues = { urgent: new Set<() => void>(), other: new Set<() => void>() };
  let free = concurrency;

  async function enter({ signal, isUrgent = true }: WorkOptions): Promise<void> {
    if (signal?.aborted) throw callCanceled(signal.reason);
    if (free > 0) {
      free -= 1;
      return;
    }
    const name = isUrgent ? 'urgent' : 'other';
    if (queues[name].size >= most[name]) throw passwordWorkBusy();
    await waitForTurn(queues[name], signal);
  }

  function leave(): void {
    const queue = queues.urgent.size > 0 ? queues.urgent : queues.other;
    const [next] = queue;
    if (next === undefined) {
      free += 1;
      return;
    }
    queue.delete(next);
    next();
  }

  return {
    async run(work, options = {}) {
      await enter(options);
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
