import type { NoticeSchema } from '@agentmesh/proto/runs/v1/notices';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { NoticeRow } from '../../store/notices.ts';

/** Converts a row of `notices` to the message that RPCs return. */
export function noticeMessage(row: NoticeRow): MessageInitShape<typeof NoticeSchema> {
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    body: row.body,
    appName: row.app_name,
    userId: row.user_id,
    sessionId: row.session_id,
    invocationId: row.invocation_id,
    createdAt: timestampFromDate(row.created_at),
    ...(row.read_at !== null && { readAt: timestampFromDate(row.read_at) }),
  };
}
