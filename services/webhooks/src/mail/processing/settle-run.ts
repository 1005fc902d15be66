import { isMeshError } from '@agentmesh/lib/rpc';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { addReadings } from '../read-mailbox-task.ts';
import { postponeLogsOfAgent, updateLogEnded } from '../../store/log-steps.ts';
import { lockRunningLog, noteRunWaits, type RunningLog } from '../../store/running-logs.ts';
import { recordOf } from '../provider/json.ts';
import type { AttemptFailure } from './attempt-failure.ts';
import { placeOfLog } from './place-of-log.ts';
import { callMs, checkMs, type Processor, waitingCheckMs } from './processor.ts';
import { planMailbox } from '../../store/readings.ts';
import { writeFailure } from './retry.ts';
import { runResponse, runRetryAfter } from './run-response.ts';

/** Errors of a run that another run would have as well. */
const permanentCodes: readonly string[] = ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND', 'INVALID_ARGUMENT'];
/** The model or its quota takes no more for now. */
const limitedCodes: readonly string[] = ['RESOURCE_EXHAUSTED'];
const maxMessageLength = 2_000;
const calledTools =
  'It had called tools, which another run would call again. Retrigger the mail if it should run as a whole again.';

/** Reads the run of a log from the ledger, and writes its end to the log if it has ended. Answers how it failed. Idempotent. */
export async function settleRun(processor: Processor, log: RunningLog): Promise<AttemptFailure['kind'] | undefined> {
  const run = await findRun(processor, log);
  if (run === undefined) return fail(processor, log, { kind: 'transient', message: 'The run was not found.' });
  switch (run.status) {
    case RunStatus.COMPLETED:
      await succeed(processor, log, await runResponse(processor, log.account_id, run));
      return undefined;
    case RunStatus.FAILED:
    case RunStatus.INTERRUPTED:
      return fail(processor, log, await failureOf(processor, log, run));
    case RunStatus.CANCELLED:
      return fail(processor, log, { kind: 'permanent', message: 'The run was cancelled.' });
    case RunStatus.UNSPECIFIED:
    case RunStatus.QUEUED:
    case RunStatus.RUNNING:
      if (log.run_waits) await noteWaits(processor, log, false);
      return undefined;
    case RunStatus.WAITING:
      await noteWaits(processor, log, true);
      return undefined;
  }
}

async function findRun({ sessions }: Processor, log: RunningLog): Promise<LedgerRun | undefined> {
  try {
    const request = { accountId: log.account_id, invocationId: log.invocation_id, ...placeOfLog(log) };
    return (await sessions.getRun(request, { timeoutMs: callMs })).run;
  } catch (error) {
    if (isMeshError(error) && error.reason === 'run_not_found') return undefined;
    throw error;
  }
}

async function failureOf(processor: Processor, log: RunningLog, run: LedgerRun): Promise<AttemptFailure> {
  const { errorCode, errorMessage } = run;
  const reason = (errorMessage || `The run has failed (${errorCode || 'interrupted'}).`).slice(0, maxMessageLength);
  if (hasCalledTools(run)) return { kind: 'permanent', message: `${reason} ${calledTools}` };
  if (limitedCodes.includes(errorCode)) {
    return { kind: 'limited', message: reason, afterSeconds: await runRetryAfter(processor, log.account_id, run) };
  }
  return { kind: permanentCodes.includes(errorCode) ? 'permanent' : 'transient', message: reason };
}

function hasCalledTools({ usageJson }: LedgerRun): boolean {
  if (usageJson.length === 0) return false;
  const { toolCalls } = recordOf(JSON.parse(new TextDecoder().decode(usageJson)));
  return typeof toolCalls === 'number' && toolCalls > 0;
}

async function noteWaits({ db, clock }: Processor, log: RunningLog, waits: boolean): Promise<void> {
  const checkAt = new Date(clock.now().getTime() + (waits ? waitingCheckMs : checkMs));
  await noteRunWaits(db, { ...keyOf(log), waits, checkAt });
}

async function succeed({ db, jobs, clock }: Processor, log: RunningLog, response: string): Promise<void> {
  const key = keyOf(log);
  const now = clock.now();
  await db.transaction(async (tx) => {
    if (!(await lockRunningLog(tx, key))) return;
    await updateLogEnded(tx, { ...key, status: 'success', message: null, response, attempts: log.attempts, now });
    await addReadings(tx, { jobs, mailboxes: await planMailbox(tx, { ...mailboxOf(log), now, dueAt: now }), now });
  });
}

async function fail({ db, jobs, clock, limits }: Processor, log: RunningLog, failure: AttemptFailure) {
  const now = clock.now();
  await db.transaction(async (tx) => {
    if (!(await lockRunningLog(tx, keyOf(log)))) return;
    const consequence = await writeFailure(tx, { log, failure, now, retrySeconds: limits.retrySeconds });
    const dueAt = 'nextAttemptAt' in consequence ? consequence.nextAttemptAt : now;
    await addReadings(tx, { jobs, mailboxes: await planMailbox(tx, { ...mailboxOf(log), now, dueAt }), now });
    // The model would refuse the other mails of the agent as well. Other agents and accounts go on.
    if (failure.kind !== 'limited' || !('nextAttemptAt' in consequence)) return;
    await postponeLogsOfAgent(tx, { accountId: log.account_id, agentId: log.agent_id, until: dueAt });
  });
  return failure.kind;
}

function keyOf({ account_id: accountId, id, invocation_id: invocationId }: RunningLog) {
  return { accountId, id, invocationId };
}

function mailboxOf({ account_id: accountId, provider, mailbox }: RunningLog) {
  return { accountId, provider, mailbox };
}
