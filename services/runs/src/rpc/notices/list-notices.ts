import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectNotices } from '../../store/notices.ts';
import type { Handlers } from './handlers.ts';
import { noticeMessage } from './notice-message.ts';

const defaultLimit = 50;
const maxLimit = 500;

/** Returns notices, newest first. */
export function listNotices({ db }: Context): Handlers['listNotices'] {
  return async ({ accountId, unreadOnly, beforeId, ...request }) => {
    const limit = request.limit > 0 ? Math.min(request.limit, maxLimit) : defaultLimit;
    const rows = await selectNotices(db, { accountId: checkAccountId(accountId), unreadOnly, beforeId, limit });
    return { notices: rows.map(noticeMessage) };
  };
}
