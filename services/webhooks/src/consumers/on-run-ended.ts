import type { ConsumeHandler } from '@agentmesh/lib/bus';
import type { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Processor } from '../processing/processor.ts';
import { settleRun } from '../processing/settle-run.ts';
import { selectRunningLogs } from '../store/running-logs.ts';

/** Looks at the run of a log when it may have ended. Most runs are of no log. */
export function onRunEnded(processor: Processor): ConsumeHandler<typeof RunEndedSchema> {
  return async ({ accountId, invocationId }) => {
    for (const log of await selectRunningLogs(processor.db, { accountId, invocationId }))
      await settleRun(processor, log);
  };
}
