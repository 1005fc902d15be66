import type { App, Context } from '../../context.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { LogPath, Retriggered, RetriggeredLogs, RetriggerRequest } from './log-record.ts';
import { writes } from '../webhook-family.ts';

const path = '/api/webhooks/logs';

/** Routes that run agents again. */
export function addRetriggers(app: App, context: Context): void {
  addOne(app, context);
  addSeveral(app, context);
}

function addOne(app: App, { webhookLogs, authentication }: Context): void {
  app.post(
    `${path}/:log_id/retrigger`,
    writes(authentication, {
      operationId: 'retriggerWebhookLog',
      summary: 'Run the agent again for a mail',
      description:
        'The mail is fetched again and the present template is used; when the provider no longer has it, the agent gets its former message. 409 `already_running_or_queued` or `subscription_inactive`.',
      params: LogPath,
      headers: IdempotencyKey,
      response: { 202: Retriggered },
      refusals: [404, 409],
    }),
    async (request, reply) => {
      const { accountId } = request.identity;
      const { log_id: logId } = request.params;
      markReplayed(reply, await webhookLogs.retriggerLog({ accountId, logId }, keyedCall(request, reply)));
      reply.code(202);
      return { message: 'The agent runs again.', log_id: logId, status: 'pending' };
    },
  );
}

function addSeveral(app: App, { webhookLogs, authentication }: Context): void {
  app.post(
    `${path}/retrigger`,
    writes(authentication, {
      operationId: 'retriggerWebhookLogs',
      summary: 'Run agents again for several mails',
      description: 'At most 200 logs in one call, named by their ids or by how they have ended.',
      headers: IdempotencyKey,
      body: RetriggerRequest,
      response: { 202: RetriggeredLogs },
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const { accountId } = identity;
      const { log_ids: logIds = [], status, subscription_id: subscriptionId = 0 } = body;
      if (logIds.length === 0 && status === undefined) throw namesNothing();
      const statuses = status === undefined ? [] : [status];
      const answer = await webhookLogs.retriggerLogs(
        { accountId, logIds, statuses, subscriptionId },
        keyedCall(request, reply),
      );
      markReplayed(reply, answer);
      reply.code(202);
      return { log_ids: answer.logIds, skipped_ids: answer.skippedIds };
    },
  );
}

function namesNothing(): InvalidRequest {
  return new InvalidRequest([{ type: 'missing', loc: ['body', 'log_ids'], msg: 'Field required, or status' }]);
}
