import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { limitRecord } from '../../model-use/limit-record.ts';
import { selectLimits } from '../../store/limits.ts';
import type { Handlers } from './handlers.ts';

/** Returns all limits of an account. */
export function listLimits({ db }: Context): Handlers['listLimits'] {
  return async (request) => {
    const rows = await selectLimits(db, { accountId: checkAccountId(request.accountId) });
    return { limits: rows.map(limitRecord) };
  };
}
