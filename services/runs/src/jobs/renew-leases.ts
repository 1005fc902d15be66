import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/** Extends the lease of this process, also while it runs nothing, and stops attempts that have lost their turn or whose runs are being cancelled. */
export function createRenewLeases({ executor }: Pick<Context, 'executor'>): Job {
  return {
    pauseMs: 3_000,
    failure: 'leases cannot be renewed',
    async run() {
      const askedAtMs = performance.now();
      try {
        await executor.renew(executor.leases());
      } finally {
        executor.stopExpired(askedAtMs);
      }
    },
  };
}
