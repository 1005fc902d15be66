import { callingService, checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { reportOfAnother } from '../../errors.ts';
import { recordAction } from '../../store/audit.ts';
import { confirmErasure } from '../../store/erasures.ts';
import type { Handlers } from '../handlers.ts';

/** Records what the calling service has erased of a deleted account, and the end of the erasure when it was the last service. */
export function reportErasure({ db }: Context): Handlers['reportErasure'] {
  return async (request, call) => {
    const accountId = checkAccountId(request.accountId);
    const { service } = request;
    if (service !== callingService(call)) throw reportOfAnother();
    const counts = Object.fromEntries(Object.entries(request.counts).map(([kind, number]) => [kind, Number(number)]));
    await db.transaction(async (tx) => {
      const completed = await confirmErasure(tx, { accountId, service, counts });
      if (completed) await recordAction(tx, { action: 'account_erased', accountId });
    });
    return {};
  };
}
