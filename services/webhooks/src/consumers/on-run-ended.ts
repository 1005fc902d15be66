import type { ConsumeHandler } from '@agentmesh/lib/bus';
import type { AwaitedRunEnded, AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { isUuid } from '@agentmesh/proto/uuid';
import { askByMail } from '../jobs/ask-by-mail.ts';
import type { Processor } from '../mail/processing/processor.ts';
import { createLogLookup } from '../mail/processing/log-lookup.ts';
import { settleRun } from '../mail/processing/settle-run.ts';
import type { RunWebhooks } from '../deliveries/run-webhooks.ts';
import { settleRunWebhook } from '../deliveries/settle-run-webhook.ts';
import { selectRunWebhooks } from '../store/run-webhooks.ts';

/** Looks at the run of a log, or of a webhook, when it may have ended, and plans the mail about one that waits. Others of these runs are awaited, too. */
export function onRunEnded(processor: Processor, webhooks: RunWebhooks): ConsumeHandler<typeof AwaitedRunEndedSchema> {
  const findLogs = createLogLookup(processor.db);
  return async (run) => {
    for (const log of await findLogs(run)) await settleRun(processor, log);
    for (const webhook of await findWebhooks(webhooks, run)) await settleRunWebhook(webhooks, webhook);
    if (run.asksByMail) await ask(processor, run);
  };
}

async function ask({ db, jobs }: Processor, { accountId, invocationId, sessionPk }: AwaitedRunEnded): Promise<void> {
  if (!isUuid(accountId) || invocationId.includes('\0')) return;
  await jobs.add(db, askByMail, [{ payload: { accountId, invocationId, sessionPk: String(sessionPk) } }]);
  jobs.wake(askByMail);
}

async function findWebhooks(
  { db }: RunWebhooks,
  { accountId, invocationId }: Pick<AwaitedRunEnded, 'accountId' | 'invocationId'>,
) {
  if (!isUuid(accountId) || invocationId.includes('\0')) return [];
  const rows = await selectRunWebhooks(db, { accountId, invocationId });
  return rows.filter(({ is_open: isOpen }) => isOpen);
}
