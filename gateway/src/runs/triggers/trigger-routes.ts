import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Context } from '../../context.ts';
import { forgetBody } from '../../edge/bodies/receive-body.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { AppPath } from '../../edge/records/path.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { refuseInternalApp } from '../open-run.ts';
import { isGoing } from '../run-end.ts';
import { readEventarc, readPubSub, type Trigger } from './trigger.ts';
import { tellUnknownApp, triggerNotOver, triggerRunFailed } from './trigger-errors.ts';
import { EventarcTriggerRequest, PubSubTriggerRequest, TriggerResponse } from './trigger-record.ts';
import { createTriggerTurns } from './trigger-turns.ts';
import { runTriggered } from './triggered-run.ts';

const triggers = routeFamily({ tag: 'runs', caller: 'push', scope: 'runs:write', refusals: [403] });

const outcome =
  ' Answers when the run has ended or waits for an answer. A run that fails is answered 500, and 503 says that there is no end yet: then the message is ' +
  'delivered again. Deliveries of one message share a run; one after a run that has failed begins another, up to eight.';

type Receive = (request: FastifyRequest, reply: FastifyReply, read: () => Trigger) => Promise<TriggerResponse>;

/** Messages of Google that run agents, at the addresses of ADK's triggers. Each is served where `ADK_TRIGGER_SOURCES` names it. */
export function triggerRoutes(app: App, context: Context): void {
  const { config, authentication } = context;
  const sources = new Set(config.ADK_TRIGGER_SOURCES);
  const receive = createReceive(context);
  if (sources.has('pubsub')) {
    const schema = triggers(authentication, {
      operationId: 'triggerByPubSub',
      summary: 'Run an agent with a message of Pub/Sub',
      description: `Called by a push subscription with the token of a service account of ADK_TRIGGER_ACCOUNTS.${outcome}`,
      params: AppPath,
      body: PubSubTriggerRequest,
      response: { 200: TriggerResponse },
    });
    const route = { ...schema, errorHandler: tellUnknownApp };
    app.post('/apps/:app_name/trigger/pubsub', route, (request, reply) =>
      receive(request, reply, () => readPubSub(request.body)),
    );
  }
  if (sources.has('eventarc')) {
    const schema = triggers(authentication, {
      operationId: 'triggerByEventarc',
      summary: 'Run an agent with an event of Eventarc',
      description: `Called by Eventarc with the token of a service account of ADK_TRIGGER_ACCOUNTS: a CloudEvent, or its data with headers \`ce-…\`.${outcome}`,
      params: AppPath,
      body: EventarcTriggerRequest,
      response: { 200: TriggerResponse },
    });
    const route = { ...schema, errorHandler: tellUnknownApp };
    app.post('/apps/:app_name/trigger/eventarc', route, (request, reply) =>
      receive(request, reply, () => readEventarc(request.body, request.headers)),
    );
  }
}

function createReceive(context: Context): Receive {
  const turns = createTriggerTurns(context.config.ADK_TRIGGER_MAX_CONCURRENT);
  return async (request, reply, read) => {
    const { app_name: appName } = request.params as { readonly app_name: string };
    refuseInternalApp(appName);
    const trigger = read();
    forgetBody(request);
    const left = readingFor(reply.raw);
    using _turn = await turns.take(request.identity.accountId, left.signal);
    return answerOf(await runTriggered(context, { request, appName, trigger, left: left.signal }));
  };
}

function answerOf(run: LedgerRun | undefined): TriggerResponse {
  if (run === undefined || isGoing(run)) throw triggerNotOver();
  const { status, errorCode, errorMessage } = run;
  if (status === RunStatus.FAILED) throw triggerRunFailed(errorCode, errorMessage);
  return { status: status === RunStatus.CANCELLED || status === RunStatus.INTERRUPTED ? 'error' : 'success' };
}
