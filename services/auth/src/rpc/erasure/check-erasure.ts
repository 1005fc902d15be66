import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectConfirmed, selectIsErased } from '../../store/erasures.ts';
import type { Handlers } from '../handlers.ts';

/** Says whether an account was deleted, and which services have erased it. */
export function checkErasure({ db }: Context): Handlers['checkErasure'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    if (!(await selectIsErased(db, accountId))) return { isDeleted: false };
    return { isDeleted: true, confirmed: await selectConfirmed(db, accountId) };
  };
}
