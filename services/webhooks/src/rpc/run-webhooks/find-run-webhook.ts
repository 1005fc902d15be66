import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Queryable } from '@agentmesh/lib/pg';
import { runWebhookNotFound } from '../../errors.ts';
import { selectRunWebhooks } from '../../store/run-webhooks.ts';

interface Wanted {
  readonly accountId: string;
  readonly invocationId: string;
  /** Empty for any. */
  readonly userId: string;
}

/** Returns the newest webhook of the account's runs with this invocation id. Throws `run_webhook_not_found`. */
export async function findRunWebhook(db: Queryable, { accountId, invocationId, userId }: Wanted) {
  if (invocationId.includes('\0')) throw runWebhookNotFound();
  const rows = await selectRunWebhooks(db, { accountId: checkAccountId(accountId), invocationId });
  const row = rows.find((row) => userId === '' || row.user_id === userId);
  if (row === undefined) throw runWebhookNotFound();
  return row;
}
