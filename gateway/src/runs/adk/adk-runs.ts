import { Event } from '../../edge/records/event.ts';
import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { forgetBody } from '../../edge/bodies/receive-body.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { runKeyOf } from '../../edge/idempotency/run-key.ts';
import { openRun } from '../open-run.ts';
import { sendRun } from '../send-run.ts';
import { RunAdkAgent } from './adk-record.ts';

const starts = routeFamily({ tag: 'chat', caller: 'account', scope: 'runs:write' });

/** Errors before the first event are JSON, as everywhere. */
const stream = {
  description: 'One `data:` frame for each Event, and comments while nothing happens.',
  content: { 'text/event-stream': { schema: Type.String({ 'x-event': Event }) } },
};

/** Runs as the chat of apowerb's UI starts them. */
export function adkRunRoute(app: App, { config, runs, authentication, arriving, leaving, log }: Context): void {
  const heartbeatMs = config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  app.post(
    '/api/adk/run_sse',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...starts(authentication, {
        operationId: 'streamAdkRun',
        summary: 'Send a message of a chat and stream the answer',
        description: 'The same as `/run_sse`, in the form of apowerb’s UI.',
        headers: IdempotencyKey,
        body: RunAdkAgent,
        response: { 200: stream },
        refusals: [403, 404, 409],
      }),
    },
    async (request, reply) => {
      const { identity } = request;
      const settings = { idempotencyKey: runKeyOf(request), reading: readingFor(reply.raw) };
      const { agent_name: appName, user_id: userId, session_id: sessionId, streaming, new_message } = request.body;
      const body = { appName, userId, sessionId, newMessage: new_message, streaming };
      const run = await openRun({ runs, identity, body, defaultApp: undefined, streaming, ...settings });
      arriving.leave(request);
      forgetBody(request);
      const onRevocation = (end: () => void) => authentication.onRevocation(identity, end);
      const options = { heartbeatMs, leaving, onRevocation, isSplit: true, log, requestId: request.id };
      await sendRun(reply, run, options);
    },
  );
}
