import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { countUnread } from '../../store/notices.ts';
import type { Handlers } from './handlers.ts';

/** Returns the number of unread notices. */
export function countUnreadNotices({ db }: Context): Handlers['countUnreadNotices'] {
  return async (request) => {
    const [row] = await countUnread(db, { accountId: checkAccountId(request.accountId) });
    return { count: row?.count ?? 0 };
  };
}
