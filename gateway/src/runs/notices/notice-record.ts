import { MeshError } from '@agentmesh/lib/rpc';
import type { Notice } from '@agentmesh/proto/runs/v1/notices';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Type } from 'typebox';
import { formerUntil02, pageFields } from '../../edge/paging/page-query.ts';

const dateTime = Type.String({ format: 'date-time' });

export const Notification = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String({
      description:
        '`run_completed`, `run_failed`, `run_cancelled`, `run_interrupted`, `subscription_failing` or `schedule_paused`.',
    }),
    title: Type.String({ description: 'For example the name of the agent, or the subject of the mail.' }),
    message: Type.String({ description: 'For a failed run its error.' }),
    app_name: Type.String({ description: 'This and the next three are empty when it is not about a run.' }),
    user_id: Type.String(),
    session_id: Type.String(),
    invocation_id: Type.String(),
    read: Type.Boolean(),
    read_at: Type.Union([dateTime, Type.Null()]),
    created_at: dateTime,
  },
  { title: 'Notification' },
);

export const NotificationList = Type.Object(
  { notifications: Type.Array(Notification), unread_count: Type.Integer() },
  { title: 'NotificationList' },
);

export const NotificationsQuery = Type.Object(
  {
    ...pageFields(50, 500),
    before_id: Type.Optional(
      Type.Integer({
        ...formerUntil02,
        minimum: 1,
        description: 'Until 0.2: only notifications with a smaller id. Use `cursor`.',
      }),
    ),
    unread_only: Type.Boolean({ default: false }),
  },
  { required: [] },
);

export const UnreadCount = Type.Object(
  { count: Type.Integer(), unread_count: Type.Integer() },
  { title: 'UnreadCount' },
);

export const NotificationPath = Type.Object({
  id: Type.Integer({ minimum: 1, examples: [1], description: 'Id of the notification.' }),
});

/** The public record of a notice. */
export function notificationJson(notice: Notice | undefined) {
  if (notice === undefined) throw new MeshError('internal', 'notice_missing', 'No notification was returned.');
  const { createdAt, readAt } = notice;
  return {
    id: Number(notice.id),
    type: notice.type,
    title: notice.title,
    message: notice.body,
    app_name: notice.appName,
    user_id: notice.userId,
    session_id: notice.sessionId,
    invocation_id: notice.invocationId,
    read: readAt !== undefined,
    read_at: readAt === undefined ? null : timestampDate(readAt).toISOString(),
    created_at: createdAt === undefined ? '' : timestampDate(createdAt).toISOString(),
  };
}
