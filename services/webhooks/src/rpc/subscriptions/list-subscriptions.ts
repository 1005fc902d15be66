import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { selectSubscriptions } from '../../store/subscriptions.ts';
import type { Handlers } from './handlers.ts';
import { subscriptionRecord } from './subscription-record.ts';

/** Returns all subscriptions of an account. */
export function listSubscriptions({ db, clock }: Context): Handlers['listSubscriptions'] {
  return async (request) => {
    const rows = await selectSubscriptions(db, { accountId: checkAccountId(request.accountId) });
    const now = clock.now();
    return { subscriptions: rows.map((row) => subscriptionRecord(row, now)) };
  };
}
