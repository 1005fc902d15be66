import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Lease } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { storeWaits } from '../../store/ledger/run-waits.ts';
import { extendLease } from '../../store/replicas/executors.ts';
import { checkLeases, freeStrayRuns, releaseLeases } from '../../store/replicas/leases.ts';
import type { Handlers } from '../handlers.ts';

/** Extends the lease of an executor, tells which runs it has to stop, and frees its strays, or hands its runs over. */
export function renewLeases({ db, leaseSeconds, log }: Context): Handlers['renewLeases'] {
  return async ({ owner, leases, release, straysBefore, heaviestAccountId }) => {
    for (const { accountId } of leases) checkAccountId(accountId);
    if (heaviestAccountId !== '') checkAccountId(heaviestAccountId);
    if (release) {
      await releaseLeases(db, owner, leases);
      return { now: 0 };
    }
    const now = await extendLease(db, { owner, leaseSeconds, heaviestAccountId: heaviestAccountId || undefined });
    const strays = straysBefore > 0 ? await freeStrayRuns(db, owner, { held: leases, before: straysBefore }) : 0;
    if (strays > 0)
      log.warn({ owner, runs: strays }, 'an executor does not know of runs that it was given; any goes on with them');
    if (leases.length === 0) return { now };
    const checked = await checkLeases(db, owner, leases);
    const gone = new Set([...checked.lost, ...checked.cancelled]);
    const waiting = leases.filter((lease) => lease.waitingOn !== '' && !gone.has(lease));
    const byAccount: Map<string, Lease[]> = Map.groupBy(waiting, ({ accountId }) => accountId);
    await Promise.all([...byAccount].map(([accountId, ofAccount]) => storeWaits(db, accountId, ofAccount)));
    return { lost: [...checked.lost], cancelled: [...checked.cancelled], interrupted: [...checked.interrupted], now };
  };
}
