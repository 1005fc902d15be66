import { once } from '@agentmesh/lib/idempotency';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { Context } from '../../context.ts';
import { addNotice } from './add-notice.ts';
import { countUnreadNotices } from './count-unread-notices.ts';
import type { Handlers } from './handlers.ts';
import { listNotices } from './list-notices.ts';
import { markAllNoticesRead } from './mark-all-notices-read.ts';
import { markNoticeRead } from './mark-notice-read.ts';
import { watchNotices } from './watch-notices.ts';

/** The table of contents: every RPC of NoticesService. */
export function createNoticeHandlers(context: Context): Handlers {
  const { method } = NoticesService;
  return {
    listNotices: listNotices(context),
    countUnreadNotices: countUnreadNotices(context),
    markNoticeRead: once(context, method.markNoticeRead, markNoticeRead),
    markAllNoticesRead: once(context, method.markAllNoticesRead, markAllNoticesRead),
    watchNotices: watchNotices(context),
    addNotice: addNotice(context),
  };
}
