import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Lease } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { selectCancelling, updateLeases } from '../../store/ledger/leases.ts';
import { storeWaits } from '../../store/ledger/run-waits.ts';
import type { Handlers } from '../handlers.ts';

/** Extends all leases of one executor, or ends them, in one statement for each account. Those of runs that are being cancelled are not extended. */
export function renewLeases(service: Context): Handlers['renewLeases'] {
  return async ({ owner, leases, release }) => {
    const context = { db: service.db, leaseSeconds: release ? 0 : service.leaseSeconds };
    const byAccount = Map.groupBy(leases, (lease) => checkAccountId(lease.accountId));
    const renewed = await Promise.all([...byAccount].map(([id, ofAccount]) => renewOf(context, owner, id, ofAccount)));
    return {
      cancelled: renewed.flatMap(({ cancelled }) => cancelled),
      interrupted: renewed.flatMap(({ interrupted }) => interrupted),
      lost: renewed.flatMap(({ lost }) => lost),
    };
  };
}

interface Renewed {
  readonly cancelled: readonly Lease[];
  readonly interrupted: readonly Lease[];
  readonly lost: readonly Lease[];
}

async function renewOf(
  { db, leaseSeconds }: Pick<Context, 'db' | 'leaseSeconds'>,
  owner: string,
  accountId: string,
  leases: readonly Lease[],
): Promise<Renewed> {
  const held = await updateLeases(db, owner, { accountId, leaseSeconds, runs: leases });
  const waiting = leases.filter((lease) => lease.waitingOn !== '' && held.has(nameOf(lease)));
  if (waiting.length > 0) await storeWaits(db, accountId, waiting);
  const others = leases.filter((lease) => !held.has(nameOf(lease)));
  if (others.length === 0) return { cancelled: [], interrupted: [], lost: [] };
  const cancelling = await selectCancelling(db, { accountId, runs: others });
  const cancelled = others.filter((lease) => cancelling.has(nameOf(lease)));
  const interrupted = cancelled.filter((lease) => typeof cancelling.get(nameOf(lease)) === 'string');
  return { cancelled, interrupted, lost: others.filter((lease) => !cancelling.has(nameOf(lease))) };
}

function nameOf({ sessionPk, invocationId }: Lease): string {
  return `${sessionPk}/${invocationId}`;
}
