import type { Jobs } from '@agentmesh/lib/jobs';
import type { Transaction } from '@agentmesh/lib/pg';
import { isMeshError } from '@agentmesh/lib/rpc';
import { tellOwner } from '../tell-owner.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { type Reading, holdReading, pauseMailbox, ReadingLost } from '../../store/readings.ts';
import type { DueLog } from '../../store/due-logs.ts';
import { postponeLog, updateLogEnded } from '../../store/log-steps.ts';
import { updateAgentError } from '../../store/subscriptions.ts';
import { type AttemptFailure, attemptFailure } from './attempt-failure.ts';
import { prepareLog } from './preparation/prepare-log.ts';
import type { Processor } from './processor.ts';
import { writeFailure } from './retry.ts';
import { type Starting, startRun } from './start-run.ts';

export interface Attempting extends Starting {
  /** Takes a place for a run of this mailbox; false when there is none. */
  readonly takeSlot: () => boolean;
  /** Called when the provider takes no more: nothing else of this mailbox is to be asked for. */
  readonly onPaused: () => void;
  readonly signal: AbortSignal;
}

/** Time until a subscription that is being created is looked at again. */
const creatingMs = 5_000;

/** Makes one attempt at a log: fetches its mail, writes the message, starts the run. Throws ReadingLost, and errors of PostgreSQL when a failure cannot be written. */
export async function processLog(processor: Processor, log: DueLog, attempting: Attempting): Promise<void> {
  if (log.subscription_state !== 'active') return waitOrSkip(processor, log, attempting.reading);
  try {
    const { agent_message: message, sender_address: senderAddress, email_subject: subject } = log;
    const ready =
      message === null
        ? await prepareLog(processor, attempting.reading, log, attempting.signal)
        : { message, senderAddress, subject };
    const isLimited = attempting.limited.has(log.agent_id);
    if (ready !== undefined && !isLimited && attempting.takeSlot()) await startRun(processor, attempting, log, ready);
  } catch (error) {
    attempting.signal.throwIfAborted();
    if (error instanceof ReadingLost) throw error;
    const failure = attemptFailure(error) ?? unknownFailure(processor, log, error);
    const pausesMailbox = failure.kind === 'limited' && error instanceof ProviderError;
    if (pausesMailbox) attempting.onPaused();
    const isAgentGone = isMeshError(error) && error.reason === 'app_not_found';
    await fail(processor, log, { reading: attempting.reading, failure, pausesMailbox, isAgentGone });
  }
}

/** A mistake in the program, or what its sender has made of the mail: it must not stop the other mails of the mailbox. */
function unknownFailure({ log: logger }: Processor, { id: logId }: DueLog, err: unknown): AttemptFailure {
  logger.warn({ err, logId }, 'a mail cannot be processed');
  return { kind: 'transient', message: 'This server could not process the mail.' };
}

/** A notification may arrive before its subscription is complete. A subscription that was deleted or disabled since runs nothing. */
async function waitOrSkip({ db, clock }: Processor, log: DueLog, reading: Reading): Promise<void> {
  const now = clock.now();
  const key = { accountId: log.account_id, id: log.id };
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    if (log.subscription_state === 'creating') {
      return postponeLog(tx, { ...key, nextAttemptAt: new Date(now.getTime() + creatingMs) });
    }
    const message = `The mail was skipped: the subscription was ${log.subscription_state ?? 'deleted'}.`;
    return updateLogEnded(tx, { ...key, status: 'skipped', message, response: null, attempts: log.attempts, now });
  });
}

interface Failure {
  readonly reading: Reading;
  readonly failure: AttemptFailure;
  readonly pausesMailbox: boolean;
  readonly isAgentGone: boolean;
}

/**
 * Writes a failure. When the provider takes no more, nothing else of this mailbox is asked for either. When the agent is gone, the subscription
 * shows it, and its owner is told once.
 */
async function fail(
  { db, clock, limits, jobs }: Processor,
  log: DueLog,
  { reading, failure, pausesMailbox, isAgentGone }: Failure,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    if (isAgentGone) await tellAgentGone(tx, jobs, log);
    const consequence = await writeFailure(tx, { log, failure, now: clock.now(), retrySeconds: limits.retrySeconds });
    if (!pausesMailbox || !('nextAttemptAt' in consequence)) return;
    await pauseMailbox(tx, { ...reading, until: consequence.nextAttemptAt });
  });
}

async function tellAgentGone(tx: Transaction, jobs: Jobs, log: DueLog): Promise<void> {
  const { account_id: accountId, subscription_id: id, agent_id: agentId, mailbox } = log;
  const error = `The agent ${agentId} does not exist any more: mail runs nothing. Choose another agent for the subscription.`;
  if ((await updateAgentError(tx, { accountId, id, agentId, error })).length === 0) return;
  const fact = { subscriptionId: id };
  await jobs.add(tx, tellOwner, [{ payload: { accountId, mailbox, reason: error, fact, isOfAgent: true } }]);
}
