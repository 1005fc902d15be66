import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { App, Context } from '../../context.ts';
import { forgetBody } from '../../edge/bodies/receive-body.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { leavableCall } from '../../edge/idempotency/keyed-call.ts';
import { answerRun } from './answer-run.ts';
import { chatOf, unfinishedRuns } from './chat.ts';
import { chatProblem } from './chat-problem.ts';
import { AppPath, ChatPath, ChatRequest, UserQuery } from './chat-record.ts';
import { answersIn } from './from-ui-message.ts';
import { type Exchange as MessageExchange, sendMessage } from './send-message.ts';
import { type Shown, showRun } from './show-run.ts';

const common = { tag: 'doors', caller: 'account', limitsToUser: true, problemAs: chatProblem } as const;
const writes = routeFamily({ ...common, scope: 'runs:write', setsNoState: true });
const reads = routeFamily({ ...common, scope: 'runs:read' });

/** The AI SDK's UI message stream: apps are what `useChat` talks to. */
export function addAiSdk(app: App, context: Context): void {
  addSend(app, context);
  addResume(app, context);
  addStop(app, context);
}

function addSend(app: App, context: Context): void {
  const { arriving, authentication } = context;
  const schema = { hide: true, params: AppPath, querystring: UserQuery, headers: IdempotencyKey, body: ChatRequest };
  app.post(
    '/api/chat/:app_name',
    { onRequest: arriving.enter, preHandler: arriving.takeTurn, ...writes(authentication, schema) },
    async (request, reply) => {
      const shown = await begin(context, { request, reply });
      forgetBody(request);
      await showRun(context, { request, reply }, shown);
      return reply;
    },
  );
}

interface Sending extends MessageExchange {
  readonly request: MessageExchange['request'] &
    FastifyRequest<{ Params: Static<typeof AppPath>; Querystring: Static<typeof UserQuery> }>;
}

/** Answers the run that waits for what the page says about calls, else starts one. */
function begin(context: Context, { request, reply }: Sending): Promise<Shown> {
  const { identity, params, body, query } = request;
  const place = { app_name: params.app_name, session_id: body.id };
  const chat = chatOf({ identity, params: place, query: { user: body.user || query.user } });
  const given = answersIn(body);
  if (given.answers.length > 0) return answerRun(context, { request, reply }, { chat, ...given });
  return sendMessage(context, { request, reply }, chat);
}

function addResume(app: App, context: Context): void {
  app.get(
    '/api/chat/:app_name/:session_id/stream',
    reads(context.authentication, { hide: true, params: ChatPath, querystring: UserQuery }),
    async (request, reply) => {
      const chat = chatOf(request);
      const [newest] = await unfinishedRuns(context, chat);
      if (newest === undefined) return reply.code(204).send();
      await showRun(context, { request, reply }, { run: { ...chat, invocationId: newest.invocationId } });
      return reply;
    },
  );
}

function addStop(app: App, context: Context): void {
  app.post(
    '/api/chat/:app_name/:session_id/stop',
    writes(context.authentication, { hide: true, params: ChatPath, querystring: UserQuery }),
    async (request, reply) => {
      const chat = chatOf(request);
      const runs = await unfinishedRuns(context, chat);
      if (runs.length === 0) return reply.code(204).send();
      // Newest first, so that no queued run begins when the running one ends.
      for (const { invocationId } of runs)
        await context.sessions.cancelRun({ ...chat, invocationId }, leavableCall(reply));
      return { id: chat.sessionId, status: 'cancelled' };
    },
  );
}
