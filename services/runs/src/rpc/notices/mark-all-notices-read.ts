import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { updateNoticesRead } from '../../store/notices.ts';
import type { Handlers } from './handlers.ts';

/** Marks all notices as read. */
export function markAllNoticesRead({ db }: Context): Handlers['markAllNoticesRead'] {
  return async (request) => {
    const marked = await updateNoticesRead(db, { accountId: checkAccountId(request.accountId) });
    return { marked: marked.length };
  };
}
