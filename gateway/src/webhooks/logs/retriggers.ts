import { type App, type Context, unary } from '../../context.ts';
import { bodyFailures, failures, Problem } from '../../edge/records/problem.ts';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { LogPath, Retriggered, RetriggeredLogs, RetriggerRequest } from './log-record.ts';

const path = '/api/webhooks/logs';
const tags = ['webhooks'];

/** Routes that run agents again. */
export function addRetriggers(app: App, { webhookLogs, authentication }: Context): void {
  const guard = { preValidation: authentication.account, config: { scope: 'webhooks:write' } } as const;
  app.post(
    `${path}/:log_id/retrigger`,
    {
      ...guard,
      schema: {
        tags,
        operationId: 'retriggerWebhookLog',
        summary: 'Run the agent again for a mail',
        description:
          'The mail is fetched again and the present template is used; when the provider no longer has it, the agent gets its former message. 409 `already_running_or_queued` or `subscription_inactive`.',
        params: LogPath,
        response: { 202: Retriggered, 404: Problem, 409: Problem, ...failures },
      },
    },
    async ({ identity: { accountId }, params: { log_id: logId } }, reply) => {
      await webhookLogs.retriggerLog({ accountId, logId }, unary);
      reply.code(202);
      return { message: 'The agent runs again.', log_id: logId, status: 'pending' };
    },
  );
  app.post(
    `${path}/retrigger`,
    {
      ...guard,
      schema: {
        tags,
        operationId: 'retriggerWebhookLogs',
        summary: 'Run agents again for several mails',
        description: 'At most 200 logs in one call, named by their ids or by how they have ended.',
        body: RetriggerRequest,
        response: { 202: RetriggeredLogs, ...bodyFailures, ...failures },
      },
    },
    async ({ identity: { accountId }, body }, reply) => {
      const { log_ids: logIds = [], status, subscription_id: subscriptionId = 0 } = body;
      if (logIds.length === 0 && status === undefined) throw namesNothing();
      const statuses = status === undefined ? [] : [status];
      const answer = await webhookLogs.retriggerLogs({ accountId, logIds, statuses, subscriptionId }, unary);
      reply.code(202);
      return { log_ids: answer.logIds, skipped_ids: answer.skippedIds };
    },
  );
}

function namesNothing(): InvalidRequest {
  return new InvalidRequest([{ type: 'missing', loc: ['body', 'log_ids'], msg: 'Field required, or status' }]);
}
