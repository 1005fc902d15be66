import type { HintHandler } from '@agentmesh/lib/bus';
import type { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { settleRun } from '../execution/notices/settle-run.ts';

/** Makes the notice of a run that this process awaits. Any process does it a few seconds later. */
export function onAwaitedRunEnded(context: Context): HintHandler<typeof RunEndedSchema> {
  return async ({ accountId, invocationId }) => {
    if (context.awaited.has(`${accountId}/${invocationId}`)) await settleRun(context, { accountId, invocationId });
  };
}
