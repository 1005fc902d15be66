import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Queryable } from '@agentmesh/lib/pg';
import { runWebhookNotFound } from '../../errors.ts';
import { type SoughtWebhooks, selectRunWebhooks } from '../../store/run-webhooks.ts';

/** Returns the newest webhook of the account's runs with this invocation id, and the names of the session that are not empty. Throws `run_webhook_not_found`. */
export async function findRunWebhook(db: Queryable, sought: Required<SoughtWebhooks>) {
  const { accountId, invocationId, appName, userId, sessionId } = sought;
  if ([invocationId, appName, userId, sessionId].some((name) => name.includes('\0'))) throw runWebhookNotFound();
  const names = { invocationId, appName, userId, sessionId };
  const [row] = await selectRunWebhooks(db, { accountId: checkAccountId(accountId), ...names });
  if (row === undefined) throw runWebhookNotFound();
  return row;
}
