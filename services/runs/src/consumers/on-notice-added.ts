import type { HintHandler } from '@agentmesh/lib/bus';
import type { NoticeAddedSchema } from '@agentmesh/proto/runs/v1/notices';
import type { Context } from '../context.ts';

/** Makes the streams of an account's notices look at the database. */
export function onNoticeAdded({ watchers }: Pick<Context, 'watchers'>): HintHandler<typeof NoticeAddedSchema> {
  return ({ accountId }) => watchers.wake(accountId);
}
