import type { ConsumeHandler } from '@agentmesh/lib/bus';
import type { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Processor } from '../processing/processor.ts';
import { createLogLookup } from '../processing/log-lookup.ts';
import { settleRun } from '../processing/settle-run.ts';

/** Looks at the run of a log when it may have ended. Most runs are of no log. */
export function onRunEnded(processor: Processor): ConsumeHandler<typeof RunEndedSchema> {
  const findLogs = createLogLookup(processor.db);
  return async (run) => {
    for (const log of await findLogs(run)) await settleRun(processor, log);
  };
}
