import { type App, type Context, unary } from '../../context.ts';
import { pageHeaders } from '../../edge/paging/page-query.ts';
import { addNextPage, numberBefore, pageOf } from '../../edge/paging/page.ts';
import { addAttachments } from './attachments.ts';
import { logFilter } from './log-filter.ts';
import { logJson } from './log-json.ts';
import { LogPath, LogQuery, WebhookLogAnswer, WebhookLogList } from './log-record.ts';
import { addRetriggers } from './retriggers.ts';
import { reads } from '../webhook-family.ts';

const path = '/api/webhooks/logs';

/** Routes for the logs, one for each mail of the caller's account and each subscription that it matches. */
export function addLogs(app: App, context: Context): void {
  addReads(app, context);
  addBody(app, context);
  addAttachments(app, context);
  addRetriggers(app, context);
}

function addReads(app: App, { webhookLogs, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'listWebhookLogs',
      summary: 'List logs',
      description: 'What was done with the mails of the account, newest first, and how many logs match.',
      querystring: LogQuery,
      response: { 200: { ...WebhookLogList, headers: pageHeaders } },
    }),
    async ({ identity: { accountId }, query: { cursor, ...query } }, reply) => {
      const { limit, offset: _offset, ...filter } = query;
      const list = ['webhook-logs', accountId, JSON.stringify(filter)];
      const page = pageOf(list, { limit: limit ?? 50, cursor });
      const asked = logFilter(cursor === undefined ? query : { ...query, offset: numberBefore(page) });
      const { logs, total } = await webhookLogs.listLogs({ accountId, ...asked }, unary);
      const next = asked.offset + logs.length;
      if (logs.length > 0 && next < Number(total)) addNextPage(reply, { list, page, last: [next] });
      return { logs: logs.map(logJson), total: Number(total) };
    },
  );
  app.get(
    `${path}/:log_id`,
    reads(authentication, {
      operationId: 'getWebhookLog',
      summary: 'Get a log',
      description: 'What was done with one mail.',
      params: LogPath,
      response: { 200: WebhookLogAnswer },
      refusals: [404],
    }),
    async ({ identity: { accountId }, params: { log_id: logId } }) => ({
      log: logJson((await webhookLogs.getLog({ accountId, logId }, unary)).log),
    }),
  );
}

/** The sender wrote the body. In this sandbox it has no origin, runs nothing, loads nothing and sends nothing. */
const bodyHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'",
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
} as const;

function addBody(app: App, { webhookLogs, authentication }: Context): void {
  app.get(
    `${path}/:log_id/body`,
    reads(authentication, {
      operationId: 'getWebhookLogBody',
      summary: "Get the body of a log's mail",
      description:
        'HTML as the sender wrote it, in a sandbox without scripts. Empty when the mail has no text or was not fetched.',
      params: LogPath,
      response: { 200: { type: 'string', description: 'The body as HTML.' } },
      refusals: [404],
    }),
    async ({ identity: { accountId }, params: { log_id: logId } }, reply) => {
      const { html } = await webhookLogs.getLogBody({ accountId, logId }, unary);
      reply.headers(bodyHeaders);
      return html;
    },
  );
}
