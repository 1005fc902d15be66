import type { Log } from '@agentmesh/proto/webhooks/v1/logs';
import { type Context, unary } from '../context.ts';
import { unlessGone } from '../edge/errors/unless-gone.ts';
import type { ExportPart } from '../export-part.ts';
import { logJson } from './logs/log-json.ts';
import { subscriptionJson } from './subscriptions/subscription-json.ts';

/** Subscriptions to mailboxes, and logs of mails with the bodies of these. */
export const mailExport: ExportPart = {
  kinds: ['mail_subscription', 'mail_log'],
  async *read({ subscriptions, webhookLogs }, { accountId }) {
    const listed = await subscriptions.listSubscriptions({ accountId }, unary);
    for (const one of listed.subscriptions) yield { kind: 'mail_subscription', data: subscriptionJson(one) };
    for await (const log of logsOf(webhookLogs, accountId)) {
      const body = await unlessGone(webhookLogs.getLogBody({ accountId, logId: log.id }, unary));
      if (body !== undefined) yield { kind: 'mail_log', data: { ...logJson(log), body_html: body.html } };
    }
  },
};

const pageSize = 200;

async function* logsOf(webhookLogs: Context['webhookLogs'], accountId: string): AsyncGenerator<Log> {
  // The oldest may be deleted and new ones may come meanwhile: ids tell which were read.
  let oldest = Infinity;
  for (let offset = 0; ; ) {
    const { logs } = await webhookLogs.listLogs({ accountId, limit: pageSize, offset }, unary);
    if (logs.length === 0) return;
    yield* logs.filter(({ id }) => id < oldest);
    oldest = Math.min(oldest, ...logs.map(({ id }) => id));
    offset += logs.length;
  }
}
