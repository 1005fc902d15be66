import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { pageHeaders } from '../../edge/paging/page-query.ts';
import { addNextPage, numberBefore, pageOf } from '../../edge/paging/page.ts';
import {
  Notification,
  notificationJson,
  NotificationList,
  NotificationPath,
  NotificationsQuery,
  UnreadCount,
} from './notice-record.ts';

const reads = routeFamily({ tag: 'notifications', caller: 'account', scope: 'runs:read' });
const writes = routeFamily({ tag: 'notifications', caller: 'account', scope: 'runs:write' });

const url = '/api/notifications';

/** Notifications of runs that ended while nobody watched, and of subscriptions that cannot be renewed. */
export function noticeRoutes(app: App, context: Context): void {
  addList(app, context);
  addCount(app, context);
  addMarking(app, context);
}

function addList(app: App, { notices, authentication }: Context): void {
  app.get(
    url,
    reads(authentication, {
      operationId: 'listNotifications',
      summary: 'List notifications',
      description:
        'One for each run in the background, or started by mail, that has ended; and one when a subscription to a mailbox cannot be renewed. Newest first; 500 are kept.',
      querystring: NotificationsQuery,
      response: { 200: { ...NotificationList, headers: pageHeaders } },
    }),
    async ({ identity: { accountId }, query }, reply) => {
      const { limit = 50, cursor, unread_only: unreadOnly, before_id: before } = query;
      const list = ['notifications', accountId, String(unreadOnly)];
      const page = pageOf(list, { limit, cursor });
      // Ids are counted in 64 bits, for all accounts together.
      const beforeId = BigInt(before ?? numberBefore(page, Number.MAX_SAFE_INTEGER));
      // One more than is shown tells whether there is a next page.
      const asked = { accountId, limit: limit + 1, unreadOnly, beforeId };
      const [found, unread] = await Promise.all([
        notices.listNotices(asked, unary),
        notices.countUnreadNotices({ accountId }, unary),
      ]);
      const notifications = found.notices.slice(0, limit).map(notificationJson);
      const last = notifications.at(-1);
      if (last !== undefined && found.notices.length > limit) addNextPage(reply, { list, page, last: [last.id] });
      return { notifications, unread_count: unread.count };
    },
  );
}

function addCount(app: App, { notices, authentication }: Context): void {
  app.get(
    `${url}/unread-count`,
    reads(authentication, {
      operationId: 'countUnreadNotifications',
      summary: 'Count unread notifications',
      description: 'The number of notifications that were not marked as read.',
      response: { 200: UnreadCount },
    }),
    async ({ identity: { accountId } }) => {
      const { count } = await notices.countUnreadNotices({ accountId }, unary);
      return { count, unread_count: count };
    },
  );
}

function addMarking(app: App, { notices, authentication }: Context): void {
  app.patch(
    `${url}/:id/read`,
    writes(authentication, {
      operationId: 'readNotification',
      summary: 'Mark a notification as read',
      description: 'Marking it again changes nothing.',
      params: NotificationPath,
      headers: IdempotencyKey,
      response: { 200: Notification },
      refusals: [404],
    }),
    async (request, reply) => {
      const wanted = { accountId: request.identity.accountId, id: BigInt(request.params.id) };
      const marked = await notices.markNoticeRead(wanted, keyedCall(request, reply));
      markReplayed(reply, marked);
      return notificationJson(marked.notice);
    },
  );
  app.post(
    `${url}/read-all`,
    writes(authentication, {
      operationId: 'readAllNotifications',
      summary: 'Mark all notifications as read',
      description: 'Answers how many were unread.',
      headers: IdempotencyKey,
      response: { 200: Type.Object({ marked: Type.Integer() }, { title: 'MarkedNotifications' }) },
    }),
    async (request, reply) => {
      const { accountId } = request.identity;
      const answer = await notices.markAllNoticesRead({ accountId }, keyedCall(request, reply));
      markReplayed(reply, answer);
      return { marked: answer.marked };
    },
  );
}
