import { afterChange } from '@agentmesh/lib/rpc';
import { type App, type Context, unary } from '../../context.ts';
import { leavableCall, keyedCall } from '../../edge/idempotency/keyed-call.ts';
import { IdempotencyKey, replayedHeader } from '../../edge/idempotency/idempotency-key.ts';
import { askElsewhere } from '../../edge/streams/ask-elsewhere.ts';
import { runKeyHours, runKeyOf } from '../../edge/idempotency/run-key.ts';
import { headerText, invocationHeader } from '../../edge/streams/invocation-header.ts';
import { runContent } from '../open-run.ts';
import { startsRuns } from '../run-family.ts';
import { type RegisteredWebhook, registerWebhook } from '../webhooks/register-webhook.ts';
import { StartedRun } from '../webhooks/webhook-record.ts';
import { sendRun } from './run-routes.ts';
import { startRunRequest } from './start-run-record.ts';

/** Starts a run that nobody watches. */
export function startRunRoute(app: App, context: Context): void {
  const { config, runs, sessions, authentication, arriving } = context;
  const defaultApp = config.ADK_DEFAULT_APP_NAME;
  app.post(
    '/runs',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...startsRuns(authentication, {
        operationId: 'startRun',
        summary: 'Start a run in the background',
        description:
          'Answers as soon as the run is stored. It is executed whatever the client does: read or watch it by its id. With `streaming: true` those who watch it get partial events too.',
        headers: IdempotencyKey,
        body: startRunRequest(defaultApp),
        response: { 202: StartedRun },
      }),
    },
    async (request, reply) => {
      const { identity, body } = request;
      const key = { idempotencyKey: runKeyOf(request), idempotencyKeyHours: runKeyHours };
      const content = { ...runContent({ identity, body, defaultApp }), streaming: body.streaming };
      const registered =
        body.webhook && (await registerWebhook(context, body.webhook, { ...content, call: keyedCall(request, reply) }));
      const start = registered && { invocationId: registered.invocationId, awaited: true };
      const asked = { ...content, ...start, ...key, noticeTitle: content.session.appName };
      const call = leavableCall(reply);
      const { invocationId, already } = await askElsewhere(() => runs.startRun(asked, call), call.left);
      arriving.leave(request);
      reply.code(202).header(invocationHeader, headerText(invocationId));
      const { run } = await afterChange(sessions.getRun({ ...content.session, invocationId }, unary));
      if (already) reply.header(replayedHeader, 'true');
      return sendRun(reply, run, registered && { webhook: webhookOf(registered, invocationId) });
    },
  );
}

/** An older request with the key has started a run with a webhook of its own, whose secret is not this one. */
function webhookOf(
  { webhook, invocationId: own }: RegisteredWebhook,
  invocationId: string,
): RegisteredWebhook['webhook'] {
  return own === invocationId ? webhook : { url: webhook.url };
}
