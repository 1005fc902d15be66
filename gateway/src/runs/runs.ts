import { MeshError } from '@agentmesh/lib/rpc';
import type { Failure } from '@agentmesh/proto/runs/v1';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { App, Context } from '../context.ts';
import { forgetBody } from '../edge/bodies/receive-body.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { IdempotencyKey, replayedHeader } from '../edge/idempotency/idempotency-key.ts';
import { jsonArray, sendJson } from '../edge/json/json-bytes.ts';
import { Event } from '../edge/records/event.ts';
import { readingFor } from '../edge/streams/reading-for.ts';
import { headerText, invocationHeader } from '../edge/streams/invocation-header.ts';
import { runKeyOf } from '../edge/idempotency/run-key.ts';
import { leavePolicyOf, OnDisconnect } from './leave-policy.ts';
import { type AcceptedRun, openRun } from './open-run.ts';
import { startsRuns } from './run-family.ts';
import { runAgentRequest } from './run-record.ts';
import { sendRun } from './send-run.ts';

const RunHeaders = Type.Object({ ...IdempotencyKey.properties, ...OnDisconnect });

/** `/run` answers with all events at once, `/run_sse` streams each event. */
export function runRoutes(app: App, context: Context): void {
  const schema = { headers: RunHeaders, body: runAgentRequest(context.config.ADK_DEFAULT_APP_NAME) };
  addRun(app, context, schema);
  addRunSse(app, context, schema);
}

/** Errors before the first event are JSON, as everywhere. */
const stream = {
  description: 'One `data:` frame for each Event, and comments while nothing happens.',
  content: { 'text/event-stream': { schema: Type.String({ 'x-event': Event }) } },
};

interface RunSchema {
  readonly headers: typeof RunHeaders;
  readonly body: ReturnType<typeof runAgentRequest>;
}

function addRun(app: App, context: Context, schema: RunSchema): void {
  const { config, runs, authentication, arriving } = context;
  const defaultApp = config.ADK_DEFAULT_APP_NAME;
  app.post(
    '/run',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...startsRuns(authentication, {
        ...schema,
        operationId: 'runAgent',
        summary: 'Run an agent',
        description:
          'Answers all whole events of the run as one array when it has ended. `streaming` has no effect here. The run goes on when the client leaves, unless `onDisconnect` is `cancel`.',
        response: { 200: Type.Array(Event) },
      }),
    },
    async (request, reply) => {
      const { identity, body } = request;
      const settings = settingsOf(context, request, reply);
      const run = await openRun({ runs, identity, body, defaultApp, streaming: false, ...settings });
      arriving.leave(request);
      forgetBody(request);
      reply.header(invocationHeader, headerText(run.invocationId));
      if (run.already) reply.header(replayedHeader, 'true');
      return sendJson(reply, jsonArray(await collect(run)));
    },
  );
}

function addRunSse(app: App, context: Context, schema: RunSchema): void {
  const { config, runs, authentication, arriving, log } = context;
  const defaultApp = config.ADK_DEFAULT_APP_NAME;
  const heartbeatMs = config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  app.post(
    '/run_sse',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...startsRuns(authentication, {
        ...schema,
        operationId: 'streamRun',
        summary: 'Run an agent and stream its events',
        description:
          'Answers each event when it happens, with `streaming: true` also partial ones. The run goes on when the client leaves, unless `onDisconnect` is `cancel`. While the run waits for others of its session, comments `: queued <place>` tell its place.',
        response: { 200: stream },
      }),
    },
    async (request, reply) => {
      const { identity, body } = request;
      const { streaming, functionCallEventId } = body;
      const settings = settingsOf(context, request, reply);
      const run = await openRun({ runs, identity, body, defaultApp, streaming, ...settings });
      arriving.leave(request);
      forgetBody(request);
      const isSplit = (functionCallEventId ?? '') === '';
      const onRevocation = (end: () => void) => authentication.onRevocation(identity, end);
      const options = { heartbeatMs, leaving: context.leaving, onRevocation, isSplit, log, requestId: request.id };
      await sendRun(reply, run, options);
    },
  );
}

type Requested = Parameters<typeof leavePolicyOf>[1] & Parameters<typeof runKeyOf>[0];

/** Options of a run that are in the headers of its request, and the end of its connection. */
function settingsOf(context: Context, request: Requested, reply: FastifyReply) {
  const onLeave = leavePolicyOf(context, request);
  return { onLeave, idempotencyKey: runKeyOf(request), reading: readingFor(reply.raw) };
}

/** Whole events of a run. Fails when the client disconnects, since nobody reads the rest. */
async function collect(run: AcceptedRun): Promise<Uint8Array[]> {
  const events: Uint8Array[] = [];
  try {
    for await (const { kind } of run.answers) {
      if (kind.case === 'event' && !kind.value.partial) events.push(kind.value.json);
      if (kind.case === 'failure' && !kind.value.isTold) throw failureOf(kind.value);
      if (kind.case === 'moved') await run.follow(kind.value);
    }
  } catch (error) {
    run.leave();
    throw error;
  }
  return events;
}

function failureOf({ type, message }: Failure): Error {
  // The caller deleted the session during the run, so the error is not the server's.
  if (type === 'RunCancelled') return new MeshError('aborted', 'run_cancelled', message);
  return new HttpError(500, message);
}
