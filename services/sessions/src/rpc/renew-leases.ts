import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { renewLeases as renew } from '../store/runs.ts';

type RenewLeases = MethodImpl<(typeof SessionsService)['method']['renewLeases']>;

/** Extends all leases of one executor in one statement. */
export function renewLeases({ db, leaseSeconds }: Context): RenewLeases {
  return async ({ owner, leases }) => {
    const held = await renew(db, owner, { leaseSeconds, runs: leases });
    return { lost: leases.filter((lease) => !held.has(`${lease.sessionPk}/${lease.invocationId}`)) };
  };
}
