import { holdReading, type Reading } from '../../store/readings.ts';
import type { DueLog } from '../../store/due-logs.ts';
import { postponeLog, updateLogEnded, updateLogStarted } from '../../store/log-steps.ts';
import { updateAgentError } from '../../store/subscriptions.ts';
import type { RunningLog } from '../../store/running-logs.ts';
import { callMs, checkMs, type Processor } from './processor.ts';
import { placeOfLog } from './place-of-log.ts';
import { settleRun } from './settle-run.ts';
import type { StartCounts } from './start-counts.ts';

const hourMs = 3_600_000;

/** The batch that a run is started in. */
export interface Starting {
  readonly reading: Reading;
  readonly starts: StartCounts;
  /** Agents whose models take no more. */
  readonly limited: Set<number>;
}

interface Ready {
  readonly message: string;
  readonly senderAddress: string | null;
  readonly subject: string | null;
}

/**
 * Starts the agent's run for a log whose message is ready. The key of the run is made of the log, so a run that was started before a crash is found
 * again. A limit may postpone the run, or skip the mail.
 */
export async function startRun(processor: Processor, starting: Starting, log: DueLog, ready: Ready): Promise<void> {
  if (!(await isWithinLimits(processor, starting, log, ready.senderAddress))) return;
  const { reading, limited } = starting;
  const { db, clock, runs } = processor;
  const session = await sessionOf(processor, log);
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
    awaited: true,
    createsSession: true,
  };
  const { invocationId } = await runs.startRun(request, { timeoutMs: callMs });
  const now = clock.now();
  const checkAt = new Date(now.getTime() + checkMs);
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    const { account_id: accountId, id, subscription_id: subscriptionId, agent_id: agentId } = log;
    await updateLogStarted(tx, { accountId, id, invocationId, runs: number, now, checkAt });
    if (log.agent_error !== null) await updateAgentError(tx, { accountId, id: subscriptionId, agentId, error: null });
  });
  const running = { ...log, invocation_id: invocationId, run_waits: false };
  if ((await settleFastRun(processor, running)) === 'limited') limited.add(log.agent_id);
}

/** A run may end before its id is stored; then the message of its end found no log. */
async function settleFastRun(processor: Processor, log: RunningLog) {
  try {
    return await settleRun(processor, log);
  } catch (err) {
    processor.log.info({ err, logId: log.id }, 'a run cannot be read');
    return undefined;
  }
}

const json = (value: object): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/** The session of a log, in the application of its agent. Its user is named by the address of the account. */
async function sessionOf({ auth }: Processor, log: DueLog) {
  const { account } = await auth.getAccount({ id: log.account_id }, { timeoutMs: callMs });
  return {
    accountId: log.account_id,
    userId: account?.email ?? log.account_id,
    ...placeOfLog(log),
  };
}

/** A sender over the limit is skipped, because it may be a loop. A subscription over its limit goes on when an hour has passed. */
async function isWithinLimits(
  { db, clock, limits }: Processor,
  { reading, starts }: Starting,
  log: DueLog,
  sender: string | null,
): Promise<boolean> {
  const now = clock.now();
  const since = new Date(now.getTime() - hourMs);
  const { account_id: accountId, id, subscription_id: subscriptionId, attempts } = log;
  const passed = await starts.take(db, { accountId, subscriptionId, sender, since }, limits);
  if (passed === undefined) return true;
  const key = { accountId, id };
  const message = `The mail was skipped: its sender has started ${passed.runs} runs in an hour.`;
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    if (passed.limit === 'sender')
      await updateLogEnded(tx, { ...key, status: 'skipped', message, response: null, attempts, now });
    else await postponeLog(tx, { ...key, nextAttemptAt: new Date(now.getTime() + hourMs / 12) });
  });
  return false;
}
