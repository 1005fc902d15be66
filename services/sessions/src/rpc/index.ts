import { once } from '@agentmesh/lib/idempotency';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { createSession } from './create-session.ts';
import { deleteSession } from './delete-session.ts';
import { findCredentialRequest } from './find-credential-request.ts';
import { getSession } from './get-session.ts';
import type { Handlers } from './handlers.ts';
import { listEvents } from './list-events.ts';
import { listSessions } from './list-sessions.ts';
import { patchSession } from './patch-session.ts';
import { claimCompaction } from './history/claim-compaction.ts';
import { forkSession } from './history/fork-session.ts';
import { rewindSession } from './history/rewind-session.ts';
import { declareRetention } from './retention/declare-retention.ts';
import { storeCompaction } from './history/store-compaction.ts';
import { getRetention } from './retention/get-retention.ts';
import { setRetention } from './retention/set-retention.ts';
import { findRunHolder } from './operators/find-run-holder.ts';
import { listSlowAccounts } from './operators/list-slow-accounts.ts';
import { addRunMessage } from './runs/add-run-message.ts';
import { appendEvents } from './runs/append-events.ts';
import { beginTurn } from './runs/begin-turn.ts';
import { cancelRunOnce } from './runs/cancel-run-once.ts';
import { checkQueuedRuns } from './runs/check-queued-runs.ts';
import { claimOverdueRuns } from './runs/claim-overdue-runs.ts';
import { claimRuns } from './runs/claim-runs.ts';
import { countActiveRuns } from './runs/count-active-runs.ts';
import { getRun } from './runs/get-run.ts';
import { listRuns } from './runs/list-runs.ts';
import { readRun } from './runs/read-run.ts';
import { renewLeases } from './runs/renew-leases.ts';
import { summarizeRuns } from './runs/summarize-runs.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  const { method } = SessionsService;
  return {
    createSession: once(context, method.createSession, createSession),
    getSession: getSession(context),
    listEvents: listEvents(context),
    listSessions: listSessions(context),
    patchSession: once(context, method.patchSession, patchSession),
    deleteSession: deleteSession(context),
    rewindSession: once(context, method.rewindSession, rewindSession),
    forkSession: once(context, method.forkSession, forkSession),
    claimCompaction: claimCompaction(context),
    storeCompaction: storeCompaction(context),
    findCredentialRequest: findCredentialRequest(context),
    beginTurn: beginTurn(context),
    claimRuns: claimRuns(context),
    checkQueuedRuns: checkQueuedRuns(context),
    claimOverdueRuns: claimOverdueRuns(context),
    countActiveRuns: countActiveRuns(context),
    addRunMessage: once(context, method.addRunMessage, addRunMessage),
    appendEvents: appendEvents(context),
    renewLeases: renewLeases(context),
    findRunHolder: findRunHolder(context),
    listSlowAccounts: listSlowAccounts(context),
    getRun: getRun(context),
    readRun: readRun(context),
    cancelRun: cancelRunOnce(context),
    listRuns: listRuns(context),
    summarizeRuns: summarizeRuns(context),
    getRetention: getRetention(context),
    setRetention: setRetention(context),
    declareRetention: declareRetention(context),
  };
}
