import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectIsErased } from '../../store/erasures.ts';
import type { Handlers } from '../handlers.ts';

export function checkErasure({ db }: Context): Handlers['checkErasure'] {
  return async ({ accountId }) => ({ isDeleted: await selectIsErased(db, checkAccountId(accountId)) });
}
