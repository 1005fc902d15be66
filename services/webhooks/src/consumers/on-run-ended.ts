import type { ConsumeHandler } from '@agentmesh/lib/bus';
import type { AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Processor } from '../processing/processor.ts';
import { createLogLookup } from '../processing/log-lookup.ts';
import { settleRun } from '../processing/settle-run.ts';

/** Looks at the run of a log when it may have ended. Other runs are awaited, too. */
export function onRunEnded(processor: Processor): ConsumeHandler<typeof AwaitedRunEndedSchema> {
  const findLogs = createLogLookup(processor.db);
  return async (run) => {
    for (const log of await findLogs(run)) await settleRun(processor, log);
  };
}
