import type { Executor, HeldLease } from './execution/attempt/executor.ts';
import type { Compactor } from './execution/compaction/compactor.ts';
import type { ModelUse } from './models/index.ts';

/** Time in milliseconds for the last reports of the use of models. */
const reportMs = 1_500;
/** Time in milliseconds of the drain that is left when attempts are stopped: to hand them over, and for the reports. */
const closingMs = 2_000;

interface Working {
  readonly executor: Executor;
  readonly compactor: Compactor;
  readonly use: ModelUse;
  readonly release: (leases: readonly HeldLease[]) => Promise<void>;
}

/** How the work of the service ends: soon, or when it is done. */
export function endingsOf({ executor, compactor, use, release }: Working) {
  return {
    drain: async (leftMs: number) => {
      await release(await executor.drain(Math.max(leftMs - closingMs, 0)));
      compactor.stop();
      await use.flush(reportMs);
    },
    settle: async () => {
      await executor.idle();
      await compactor.idle();
      await use.settle();
    },
  };
}
