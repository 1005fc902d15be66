import type { Lease } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { selectCancelling, updateLeases } from '../../store/runs.ts';
import type { Handlers } from '../handlers.ts';

/** Extends all leases of one executor in one statement. Those of runs that are being cancelled are not extended. */
export function renewLeases({ db, leaseSeconds }: Context): Handlers['renewLeases'] {
  return async ({ owner, leases }) => {
    const held = await updateLeases(db, owner, { leaseSeconds, runs: leases });
    const others = leases.filter((lease) => !held.has(nameOf(lease)));
    if (others.length === 0) return {};
    const cancelling = await selectCancelling(db, others);
    const cancelled = others.filter((lease) => cancelling.has(nameOf(lease)));
    const interrupted = cancelled.filter((lease) => typeof cancelling.get(nameOf(lease)) === 'string');
    return { cancelled, interrupted, lost: others.filter((lease) => !cancelling.has(nameOf(lease))) };
  };
}

function nameOf({ sessionPk, invocationId }: Lease): string {
  return `${sessionPk}/${invocationId}`;
}
