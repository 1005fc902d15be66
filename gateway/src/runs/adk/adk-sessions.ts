import { CallUntil } from '@agentmesh/lib/rpc';
import type { Stopping } from '@agentmesh/lib/wait';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import type { GetSessionResponse } from '@agentmesh/proto/sessions/v1';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { comma, encodeJson, encodeMap, separated } from '../../edge/json/json-bytes.ts';
import { sendJsonStream } from '../../edge/json/json-stream.ts';
import { sessionKeyOf } from '../../edge/records/session-key.ts';
import { firstAnswer } from '../../edge/streams/first-answer.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { adkMessage } from './adk-messages.ts';
import { AdkMessages, AdkSession, AdkSessionPath, CreateAdkSession } from './adk-record.ts';
import { sessionWithoutHead } from '../../edge/errors/session-without-head.ts';

const writes = routeFamily({ tag: 'chat', caller: 'account', scope: 'sessions:write' });
const reads = routeFamily({ tag: 'chat', caller: 'account', scope: 'sessions:read' });

const all = '/api/adk/sessions';
const one = `${all}/:app_name/:user_id/:session_id`;

/** Sessions as the chat of apowerb's UI creates, reads and deletes them. */
export function adkSessionRoutes(app: App, context: Context): void {
  addCreation(app, context);
  addHistory(app, context);
  addDeletion(app, context);
}

function addCreation(app: App, { agents, sessions, authentication }: Context): void {
  app.post(
    all,
    writes(authentication, {
      operationId: 'createAdkSession',
      summary: 'Create a session for a chat',
      description: 'The same as creating a session of the app, in the form of apowerb’s UI. `data` is its state.',
      headers: IdempotencyKey,
      body: CreateAdkSession,
      response: { 200: AdkSession },
      refusals: [404, 409],
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const { accountId } = identity;
      const { agent_name: appName, user_id: userId, session_id: sessionId, data } = body;
      await agents.checkApp({ accountId, appName }, unary);
      const key = { accountId, appName, userId, sessionId };
      const created = await sessions.createSession(
        { session: key, stateJson: encodeMap(data) },
        keyedCall(request, reply),
      );
      const { session } = created;
      markReplayed(reply, created);
      if (session === undefined) throw sessionWithoutHead();
      const { id, lastUpdateTime } = session;
      return { id, appName, userId, state: data ?? {}, events: [], lastUpdateTime };
    },
  );
}

function addHistory(app: App, { sessions, authentication }: Context): void {
  app.get(
    one,
    reads(authentication, {
      operationId: 'getAdkSession',
      summary: 'Get the messages of a chat',
      description: 'The texts of the session’s events, in order.',
      params: AdkSessionPath,
      response: { 200: AdkMessages },
      refusals: [404],
    }),
    async (request, reply) => {
      const reading = readingFor(reply.raw);
      const answers = sessions.getSession({ session: sessionKeyOf(request) }, new CallUntil(reading));
      return sendJsonStream(reply, printMessages(answers[Symbol.asyncIterator](), reading));
    },
  );
}

async function* printMessages(
  answers: AsyncIterator<GetSessionResponse>,
  reading: Stopping,
): AsyncGenerator<Uint8Array[]> {
  let next = await firstAnswer(answers, reading);
  yield [Buffer.from('{"messages":[')];
  let lead: Uint8Array[] = [];
  for (; next.done !== true; next = await answers.next()) {
    const messages = next.value.events.map(adkMessage).filter((message) => message !== undefined);
    if (messages.length === 0) continue;
    yield [...lead, ...separated(messages.map((message) => encodeJson(message)))];
    lead = [comma];
  }
  yield [Buffer.from(']}')];
}

function addDeletion(app: App, { sessions, authentication }: Context): void {
  app.delete(
    one,
    writes(authentication, {
      operationId: 'deleteAdkSession',
      summary: 'Delete a chat',
      description: 'The same as deleting the session.',
      params: AdkSessionPath,
      response: { 200: Type.Object({ message: Type.String() }, { title: 'DeletedAdkSession' }) },
      refusals: [404],
    }),
    async (request) => {
      await sessions.deleteSession({ session: sessionKeyOf(request) }, unary);
      return { message: 'Session deleted.' };
    },
  );
}
