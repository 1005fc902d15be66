import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { noticeNotFound } from '../../errors.ts';
import { updateNoticeRead } from '../../store/notices.ts';
import type { Handlers } from './handlers.ts';
import { noticeMessage } from './notice-message.ts';

/** Marks a notice as read. */
export function markNoticeRead({ db }: Context): Handlers['markNoticeRead'] {
  return async ({ accountId, id }) => {
    const [row] = await updateNoticeRead(db, { accountId: checkAccountId(accountId), id });
    if (row === undefined) throw noticeNotFound();
    return { notice: noticeMessage(row) };
  };
}
