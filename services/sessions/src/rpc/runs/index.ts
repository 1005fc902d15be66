import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { countedOnce } from '../counted-once.ts';
import type { Handlers } from '../handlers.ts';
import { addRunMessage } from './add-run-message.ts';
import { appendEvents } from './append-events.ts';
import { beginTurn } from './begin-turn.ts';
import { cancelRunOnce } from './cancel-run-once.ts';
import { checkQueuedRuns } from './check-queued-runs.ts';
import { claimOverdueRuns } from './claim-overdue-runs.ts';
import { claimRuns } from './claim-runs.ts';
import { countActiveRuns } from './count-active-runs.ts';
import { getRun } from './get-run.ts';
import { listRuns } from './list-runs.ts';
import { readRun } from './read-run.ts';
import { renewLeases } from './renew-leases.ts';
import { summarizeRuns } from './summarize-runs.ts';

/** Turns and the ledger of runs. */
export function runHandlers(
  context: Context,
): Pick<
  Handlers,
  | 'beginTurn'
  | 'claimRuns'
  | 'checkQueuedRuns'
  | 'claimOverdueRuns'
  | 'countActiveRuns'
  | 'addRunMessage'
  | 'appendEvents'
  | 'renewLeases'
  | 'getRun'
  | 'readRun'
  | 'cancelRun'
  | 'listRuns'
  | 'summarizeRuns'
> {
  const { method } = SessionsService;
  return {
    beginTurn: beginTurn(context),
    claimRuns: claimRuns(context),
    checkQueuedRuns: checkQueuedRuns(context),
    claimOverdueRuns: claimOverdueRuns(context),
    countActiveRuns: countActiveRuns(context),
    addRunMessage: countedOnce(context, method.addRunMessage, addRunMessage),
    appendEvents: appendEvents(context),
    renewLeases: renewLeases(context),
    getRun: getRun(context),
    readRun: readRun(context),
    cancelRun: cancelRunOnce(context),
    listRuns: listRuns(context),
    summarizeRuns: summarizeRuns(context),
  };
}
