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
  return {
    listNotices: listNotices(context),
    countUnreadNotices: countUnreadNotices(context),
    markNoticeRead: markNoticeRead(context),
    markAllNoticesRead: markAllNoticesRead(context),
    watchNotices: watchNotices(context),
    addNotice: addNotice(context),
  };
}
