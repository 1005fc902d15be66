import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { App, Context } from '../../../context.ts';
import { forgetBody } from '../../../edge/bodies/receive-body.ts';
import { routeFamily } from '../../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../../edge/idempotency/idempotency-key.ts';
import { doorKeyOf } from '../../../edge/idempotency/run-key.ts';
import { storedId } from '../../../edge/records/keywords.ts';
import { headerText, idInHeader } from '../../../edge/streams/invocation-header.ts';
import { endUserOf } from '../../road/end-user.ts';
import { answerRun, type AnsweredRun } from '../answer-run.ts';
import { beginRun, type Http } from '../begin-run.ts';
import { sendCompletion, streamCompletion } from './chat-answer.ts';
import { ChatRequest, refuseUnserved } from './chat-record.ts';
import { partsOf } from '../content-parts.ts';
import { openAiProblem } from '../openai-problem.ts';
import { type Said, transcriptOf } from '../transcript.ts';

const starts = routeFamily({
  tag: 'doors',
  caller: 'account',
  scope: 'runs:write',
  limitsToUser: true,
  setsNoState: true,
  problemAs: openAiProblem,
});

const Headers = Type.Object({
  ...IdempotencyKey.properties,
  'x-session-id': Type.Optional(storedId({ minLength: 1 })),
});

/** OpenAI's chat completions: the newest message starts a run. */
export function chatRoute(app: App, context: Context): void {
  app.post(
    '/v1/chat/completions',
    {
      onRequest: [context.arriving.enter, readSessionHeader],
      preHandler: context.arriving.takeTurn,
      ...starts(context.authentication, { hide: true, headers: Headers, body: ChatRequest }),
    },
    async (request, reply) => {
      const { body, headers } = request;
      refuseUnserved(body);
      const begun = await beginOrAnswer(
        context,
        { request, reply },
        { body, headers, key: doorKeyOf('openai', request) },
      );
      forgetBody(request);
      reply.header('x-session-id', headerText(begun.run.sessionId));
      if (body.stream !== true) return sendCompletion(context, reply, begun);
      const withUsage = body.stream_options?.include_usage === true;
      return streamCompletion(context, { request, reply }, { ...begun, withUsage });
    },
  );
}

/** The header is checked as the id that it names. */
async function readSessionHeader(request: FastifyRequest): Promise<void> {
  const { 'x-session-id': text } = request.headers;
  if (typeof text !== 'string') return;
  const id = idInHeader(text);
  // Fastify then joins the headers anew at each access.
  if (id !== text) request.headers = { 'x-session-id': id };
}

interface Chat {
  readonly body: ChatRequest;
  readonly headers: Static<typeof Headers>;
  readonly key: string;
}

type Begun = Pick<AnsweredRun, 'run'> & Partial<AnsweredRun>;

/** Messages that end with answers of tools answer the run that asked; others start one. */
async function beginOrAnswer(
  context: Context,
  http: Http,
  { body, headers, key: idempotencyKey }: Chat,
): Promise<Begun> {
  const { model: appName, messages, metadata, stream } = body;
  const userId = endUserOf(http.request.identity, body.user ?? body.safety_identifier);
  const transcript = transcriptOf(messages.map(saidBy), ['messages']);
  if ('outputs' in transcript) {
    return answerRun(context, http, { appName, userId, outputs: transcript.outputs, idempotencyKey });
  }
  const { session_id: named, ...customMetadata } = metadata ?? {};
  const sessionId = named ?? headers['x-session-id'];
  const asked = { appName, userId, sessionId, transcript, customMetadata, idempotencyKey };
  return { run: await beginRun(context, http, { ...asked, streaming: stream === true }) };
}

const kinds = { system: 'system', developer: 'system', user: 'user', assistant: 'model' } as const;

function saidBy({ role, content, tool_call_id: callId }: ChatRequest['messages'][number], index: number): Said {
  const place = ['messages', index];
  const parts = partsOf(content, [...place, 'content']);
  if (role !== 'tool') return { kind: kinds[role], parts };
  const output = parts.map(({ text = '' }) => text).join('');
  return { kind: 'output', callId: callId ?? '', output, place: [...place, 'tool_call_id'] };
}
