import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Lease } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { storeWaits } from '../../store/ledger/run-waits.ts';
import { extendLease } from '../../store/replicas/executors.ts';
import { checkLeases, releaseLeases } from '../../store/replicas/leases.ts';
import type { Handlers } from '../handlers.ts';

/** Extends the lease of an executor and tells which runs it has to stop, or hands its runs over. */
export function renewLeases({ db, leaseSeconds }: Context): Handlers['renewLeases'] {
  return async ({ owner, leases, release }) => {
    for (const { accountId } of leases) checkAccountId(accountId);
    if (release) {
      await releaseLeases(db, owner, leases);
      return {};
    }
    await extendLease(db, owner, leaseSeconds);
    if (leases.length === 0) return {};
    const checked = await checkLeases(db, owner, leases);
    const gone = new Set([...checked.lost, ...checked.cancelled]);
    const waiting = leases.filter((lease) => lease.waitingOn !== '' && !gone.has(lease));
    const byAccount: Map<string, Lease[]> = Map.groupBy(waiting, ({ accountId }) => accountId);
    await Promise.all([...byAccount].map(([accountId, ofAccount]) => storeWaits(db, accountId, ofAccount)));
    return checked;
  };
}
