import { isMeshError } from '@agentmesh/lib/rpc';
import { holdReading, type Reading } from '../store/readings.ts';
import { countStartedRuns, type DueLog } from '../store/due-logs.ts';
import { postponeLog, updateLogEnded, updateLogStarted } from '../store/log-steps.ts';
import type { RunningLog } from '../store/running-logs.ts';
import { callMs, type Processor } from './processor.ts';
import { settleRun } from './settle-run.ts';

const hourMs = 3_600_000;
/** A hint says that a run has ended; this is how long to wait for it before the ledger is read. */
const checkMs = 30_000;

interface Ready {
  readonly message: string;
  readonly senderAddress: string | null;
  readonly subject: string | null;
}

/**
 * Starts the agent's run for a log whose message is ready. The key of the run is made of the log, so a run that was started before a crash is found
 * again. A limit may postpone the run, or skip the mail.
 */
export async function startRun(processor: Processor, reading: Reading, log: DueLog, ready: Ready): Promise<void> {
  if (!(await isWithinLimits(processor, reading, log, ready.senderAddress))) return;
  const { db, clock, runs } = processor;
  const session = await createSession(processor, log);
  const number = log.runs + 1;
  const request = {
    session,
    messageJson: json({ role: 'user', parts: [{ text: ready.message }] }),
    customMetadataJson: json({
      trigger: 'webhook',
      webhook_log_id: log.id,
      webhook_subscription_id: log.subscription_id,
    }),
    noticeTitle: ready.subject || '(no subject)',
    idempotencyKey: `${session.sessionId}_${log.round}_${number}`,
  };
  const { invocationId } = await runs.startRun(request, { timeoutMs: callMs });
  const now = clock.now();
  const checkAt = new Date(now.getTime() + checkMs);
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    await updateLogStarted(tx, { accountId: log.account_id, id: log.id, invocationId, runs: number, now, checkAt });
  });
  await settleFastRun(processor, { ...log, invocation_id: invocationId });
}

/** A run may end before its id is stored; then the hint of its end found no log. */
async function settleFastRun(processor: Processor, log: RunningLog): Promise<void> {
  try {
    await settleRun(processor, log);
  } catch (err) {
    processor.log.info({ err, logId: log.id }, 'a run cannot be read');
  }
}

const json = (value: object): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/** The session of a log, in the application of its agent. Its user is named by the address of the account. */
async function createSession({ auth, sessions }: Processor, log: DueLog) {
  const { account } = await auth.getAccount({ id: log.account_id }, { timeoutMs: callMs });
  const session = {
    accountId: log.account_id,
    appName: `agent${log.agent_id}`,
    userId: account?.email ?? log.account_id,
    sessionId: `webhook_${log.id}`,
  };
  try {
    await sessions.createSession({ session }, { timeoutMs: callMs });
  } catch (error) {
    if (!isMeshError(error) || error.code !== 'already_exists') throw error;
  }
  return session;
}

/** A sender over the limit is skipped, because it may be a loop. A subscription over its limit goes on when an hour has passed. */
async function isWithinLimits(
  { db, clock, limits }: Processor,
  reading: Reading,
  log: DueLog,
  senderAddress: string | null,
): Promise<boolean> {
  const now = clock.now();
  const since = new Date(now.getTime() - hourMs);
  const key = { accountId: log.account_id, id: log.id };
  const counted = { accountId: log.account_id, subscriptionId: log.subscription_id, sender: senderAddress, since };
  const { ofSender, ofSubscription } = await countStartedRuns(db, counted);
  const isOfSender = senderAddress !== null && ofSender >= limits.runsPerSender;
  if (!isOfSender && ofSubscription < limits.runsPerSubscription) return true;
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    const message = `The mail was skipped: its sender has started ${ofSender} runs in an hour.`;
    const { attempts } = log;
    if (isOfSender) await updateLogEnded(tx, { ...key, status: 'skipped', message, response: null, attempts, now });
    else await postponeLog(tx, { ...key, nextAttemptAt: new Date(now.getTime() + hourMs / 12) });
  });
  return false;
}
