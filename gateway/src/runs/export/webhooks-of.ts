import { type Context, unary } from '../../context.ts';
import { unlessGone } from '../../edge/errors/unless-gone.ts';
import type { ExportedRecord } from '../../export-part.ts';
import { deliveryJson } from '../webhooks/deliveries.ts';

/** Webhooks of the runs of an account without their secrets, each with its messages. */
export async function* webhooksOf(
  runWebhooks: Context['runWebhooks'],
  accountId: string,
): AsyncGenerator<ExportedRecord> {
  let after: Uint8Array = new Uint8Array(0);
  do {
    const { webhooks, nextAfter } = await runWebhooks.listRunWebhooks({ accountId, after }, unary);
    for (const { session, invocationId, url, createTime } of webhooks) {
      const { appName = '', userId = '', sessionId = '' } = session ?? {};
      const names = { invocation_id: invocationId, app_name: appName, user_id: userId, session_id: sessionId };
      const data = { ...names, url, created_at: new Date(createTime * 1_000).toISOString() };
      yield { kind: 'run_webhook', data };
      const run = { accountId, appName, userId, sessionId, invocationId };
      const listed = await unlessGone(runWebhooks.listDeliveries(run, unary));
      for (const delivery of listed?.deliveries ?? [])
        yield { kind: 'webhook_delivery', of: names, data: deliveryJson(delivery) };
    }
    after = nextAfter;
  } while (after.length > 0);
}
