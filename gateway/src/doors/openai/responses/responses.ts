import { Type } from 'typebox';
import type { App, Context } from '../../../context.ts';
import { forgetBody } from '../../../edge/bodies/receive-body.ts';
import { routeFamily } from '../../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../../edge/idempotency/idempotency-key.ts';
import { keyedCall } from '../../../edge/idempotency/keyed-call.ts';
import { doorKeyOf } from '../../../edge/idempotency/run-key.ts';
import { maybe } from '../../../edge/records/keywords.ts';
import { readingFor } from '../../../edge/streams/reading-for.ts';
import type { Http } from '../begin-run.ts';
import { openAiProblem } from '../openai-problem.ts';
import { beginResponse } from './begin-response.ts';
import { findResponse } from './find-response.ts';
import { pendingResponse, readResponse, streamResponse, type Watched } from './response-answer.ts';
import { refuseUnserved, ResponseRequest } from './response-record.ts';

const common = { tag: 'doors', caller: 'account', limitsToUser: true, problemAs: openAiProblem } as const;
const reads = routeFamily({ ...common, scope: 'runs:read' });
const writes = routeFamily({ ...common, scope: 'runs:write', setsNoState: true });

const Path = Type.Object({ response_id: Type.String() });
const Query = Type.Object(
  { stream: maybe(Type.Boolean()), starting_after: maybe(Type.Integer({ minimum: 0 })) },
  { title: 'ReadResponse' },
);

/** OpenAI's responses: each is a run, or what a run answers to a call. */
export function responseRoutes(app: App, context: Context): void {
  addCreation(app, context);
  addReading(app, context);
  addCancel(app, context);
}

function addCreation(app: App, context: Context): void {
  const { arriving, authentication } = context;
  app.post(
    '/v1/responses',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...writes(authentication, { hide: true, headers: IdempotencyKey, body: ResponseRequest }),
    },
    async (request, reply) => {
      const { body } = request;
      refuseUnserved(body);
      const watched = await beginResponse(context, { request, reply }, { body, key: doorKeyOf('responses', request) });
      forgetBody(request);
      if (body.stream === true) return streamResponse(context, { request, reply }, watched);
      if (body.background === true) return pendingResponse(context, watched);
      return wholeResponse(context, { request, reply }, watched);
    },
  );
}

/** The run is over, or waits, or the client has left. */
function wholeResponse(context: Context, { reply }: Http, watched: Watched) {
  return readResponse(context, watched, readingFor(reply.raw).signal);
}

function addReading(app: App, context: Context): void {
  app.get(
    '/v1/responses/:response_id',
    reads(context.authentication, { hide: true, params: Path, querystring: Query }),
    async (request, reply) => {
      const { stream, starting_after: after } = request.query;
      const watched = await findResponse(context, ownerOf(request.identity), request.params.response_id);
      if (stream === true)
        return streamResponse(context, { request, reply }, { ...watched, ...(typeof after === 'number' && { after }) });
      return watched.isGoing ? pendingResponse(context, watched) : wholeResponse(context, { request, reply }, watched);
    },
  );
}

/** Runs of which account and user the caller may see: all users, or the one that a personal token is bound to. */
function ownerOf({ accountId, grant }: Http['request']['identity']) {
  return { accountId, userId: grant?.userId ?? '' };
}

/** Longest wait for the end of a run that is being cancelled. */
const cancelMs = 1_000;

function addCancel(app: App, context: Context): void {
  app.post(
    '/v1/responses/:response_id/cancel',
    writes(context.authentication, { hide: true, headers: IdempotencyKey, params: Path }),
    async (request, reply) => {
      const watched = await findResponse(context, ownerOf(request.identity), request.params.response_id);
      await context.sessions.cancelRun(watched.run, keyedCall(request, reply));
      const signal = AbortSignal.any([readingFor(reply.raw).signal, AbortSignal.timeout(cancelMs)]);
      return readResponse(context, watched, signal);
    },
  );
}
