import type { Context } from '../../context.ts';
import { updateLeases } from '../../store/runs.ts';
import type { Handlers } from '../handlers.ts';

/** Extends all leases of one executor in one statement. */
export function renewLeases({ db, leaseSeconds }: Context): Handlers['renewLeases'] {
  return async ({ owner, leases }) => {
    const held = await updateLeases(db, owner, { leaseSeconds, runs: leases });
    return { lost: leases.filter((lease) => !held.has(`${lease.sessionPk}/${lease.invocationId}`)) };
  };
}
