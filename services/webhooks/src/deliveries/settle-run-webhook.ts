import { randomBytes } from 'node:crypto';
import { isMeshError } from '@agentmesh/lib/rpc';
import { nameOfStatus, runRecord } from '@agentmesh/proto/run-record';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { deleteSurplusDeliveries, insertDelivery } from '../store/deliveries.ts';
import { forgetRunWebhook, lockRunWebhook, type RunWebhookRow, updateRunWebhookTold } from '../store/run-webhooks.ts';
import { giveUpTime } from './retry-pause.ts';
import { callMs, type RunWebhooks } from './run-webhooks.ts';

/** Statuses that a webhook tells of, and whether the run is over. */
const told: Readonly<Record<string, { readonly isOver: boolean }>> = {
  waiting: { isOver: false },
  completed: { isOver: true },
  failed: { isOver: true },
  cancelled: { isOver: true },
  interrupted: { isOver: true },
};

/** Messages of a run that are kept, the newest ones. */
const keptOfRun = 100;

/** A run that is not in the ledger so long after its webhook was registered was never accepted, or is gone. */
const acceptedMs = 300_000;

/** Reads the run of a webhook from the ledger, and adds the message of its state, once for each attempt and status. Idempotent. */
export async function settleRunWebhook(webhooks: RunWebhooks, row: RunWebhookRow): Promise<void> {
  const { db, clock } = webhooks;
  const key = { accountId: row.account_id, runSha256: row.run_sha256 };
  const run = await findRun(webhooks, row);
  const now = clock.now();
  if (run === undefined) return forgetRunWebhook(db, { ...key, before: new Date(now.getTime() - acceptedMs), now });
  // A process of sessions of a former version looks in all sessions.
  if (run.appName !== row.app_name || run.sessionId !== row.session_id) return;
  const status = nameOfStatus(run.status) ?? '';
  const tells = told[status];
  if (tells === undefined) return;
  const state = `${run.attempt} ${status}`;
  const message = { ...key, id: `msg_${randomBytes(18).toString('base64url')}`, type: `run.${status}` };
  const payload = payloadOf(message.type, run);
  const isAdded = await db.transaction(async (tx) => {
    const before = await lockRunWebhook(tx, { ...key, secretId: row.secret_id });
    if (before === undefined || before === state) return false;
    // Another process has told meanwhile what it read later. Without one, fewer attempts are those of a new run with the same names.
    if (before !== row.told && Number.parseInt(before, 10) > run.attempt) return false;
    await insertDelivery(tx, { ...message, payload, now, giveUpAt: giveUpTime(now) });
    await deleteSurplusDeliveries(tx, { ...key, kept: keptOfRun });
    await updateRunWebhookTold(tx, { ...key, told: state, endedAt: tells.isOver ? now : null });
    return true;
  });
  if (isAdded) webhooks.wakeDeliveries();
}

/** Undefined when the ledger has no such run. */
async function findRun({ sessions }: RunWebhooks, row: RunWebhookRow): Promise<LedgerRun | undefined> {
  const { account_id: accountId, invocation_id: invocationId, user_id: userId } = row;
  const { app_name: appName, session_id: sessionId } = row;
  const name = { accountId, invocationId, userId, appName, sessionId };
  try {
    return (await sessions.getRun({ ...name, withOutput: true }, { timeoutMs: callMs })).run;
  } catch (error) {
    if (isMeshError(error) && error.reason === 'run_not_found') return undefined;
    throw error;
  }
}

/** The record is put in as the ledger's bytes. */
function payloadOf(type: string, run: LedgerRun): string {
  const timestamp = new Date(run.endTime * 1000).toISOString();
  return `{"type":"${type}","timestamp":"${timestamp}","data":${Buffer.from(runRecord(run)).toString()}}`;
}
