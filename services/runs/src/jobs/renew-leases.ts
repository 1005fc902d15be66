import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/**
 * Extends the lease of this process, also while it runs nothing, stops attempts that have lost their turn or whose runs are being cancelled, and lets others go on with
 * runs of this process that it does not know.
 */
export function createRenewLeases({ executor, strays }: Pick<Context, 'executor' | 'strays'>): Job {
  return {
    pauseMs: 3_000,
    failure: 'leases cannot be renewed',
    async run() {
      const askedAtMs = performance.now();
      try {
        const straysBefore = strays.begunBefore();
        strays.told(await executor.renew(executor.leases(), straysBefore), straysBefore > 0);
      } finally {
        executor.stopExpired(askedAtMs);
      }
    },
  };
}
