import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/** Renews the leases of all running attempts in one call, and stops attempts that have lost theirs or whose runs are being cancelled. */
export function createRenewLeases({ executor, owner, sessions }: Context): Job {
  return {
    pauseMs: 3_000,
    failure: 'leases cannot be renewed',
    async run() {
      const leases = executor.leases();
      if (leases.length === 0) return;
      const askedAtMs = performance.now();
      try {
        const { lost, cancelled, interrupted } = await sessions.renewLeases({ owner, leases }, { timeoutMs: 2_500 });
        executor.extend(leases, askedAtMs);
        executor.stopLost(lost);
        executor.stopCancelled(interrupted, 'interrupted');
        executor.stopCancelled(cancelled);
      } finally {
        executor.stopExpired(askedAtMs);
      }
    },
  };
}
