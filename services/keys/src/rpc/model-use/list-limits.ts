import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { limitRecord } from '../../model-use/limit-record.ts';
import { startsOf } from '../../model-use/period.ts';
import { selectLimits } from '../../store/limits.ts';
import type { Handlers } from './handlers.ts';

/** Returns all limits of an account. */
export function listLimits({ db }: Context): Handlers['listLimits'] {
  return async (request) => {
    const now = new Date();
    const rows = await selectLimits(db, { accountId: checkAccountId(request.accountId), ...startsOf(now) });
    return { limits: rows.map((row) => limitRecord(row, now)) };
  };
}
