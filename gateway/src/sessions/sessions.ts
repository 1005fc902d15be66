import type { CreateSessionResponse } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { unary, type App, type Context } from '../context.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { encodeMap, sendJson } from '../edge/json/json-bytes.ts';
import { SessionPath, UserPath } from '../edge/records/path.ts';
import { sessionKeyOf } from '../edge/records/session-key.ts';
import { entityTag } from '../edge/records/entity-tag.ts';
import { initialContent } from './initial-content.ts';
import { initialEvents } from './initial-events.ts';
import { sessionHistoryRoutes } from './session-history.ts';
import { retentionRoutes } from './retention.ts';
import { sessionJson } from './session-json.ts';
import { sessionListRoute } from './session-list.ts';
import { sessionReadRoutes } from './session-reads.ts';
import { CreateSessionRequest, InitialState, revisionHeader, Session } from './session-record.ts';
import { sessionWithoutHead } from '../edge/errors/session-without-head.ts';
import { writes } from './session-family.ts';

const users = '/apps/:app_name/users/:user_id/sessions';
const one = `${users}/:session_id`;

/** Create, read, list, patch and delete sessions. */
export function addSessions(app: App, context: Context): void {
  addCreation(app, context);
  addCreationWithId(app, context);
  sessionListRoute(app, context);
  sessionReadRoutes(app, context);
  addDeletion(app, context);
  sessionHistoryRoutes(app, context);
  retentionRoutes(app, context);
}

function addCreation(app: App, { sessions, authentication, arriving }: Context): void {
  app.post(
    users,
    {
      preHandler: arriving.inTurn,
      ...writes(authentication, {
        operationId: 'createSession',
        summary: 'Create a session',
        description:
          'Without `sessionId` a random id is made. The body may be left out. `app:` and `user:` keys of the state are shared with other sessions.',
        params: UserPath,
        headers: IdempotencyKey,
        body: CreateSessionRequest,
        response: { 200: { ...Session, headers: revisionHeader } },
        refusals: [409],
      }),
    },
    async (request, reply) => {
      const { app_name: appName, user_id: userId } = request.params;
      const sessionId = (request.body?.sessionId ?? '').trim();
      const created = await sessions.createSession(
        {
          session: { accountId: request.identity.accountId, appName, userId, sessionId },
          stateJson: encodeMap(request.body?.state),
          events: initialEvents(request.body?.events),
        },
        keyedCall(request, reply),
      );
      return sendCreated(reply, created);
    },
  );
}

function addCreationWithId(app: App, { sessions, authentication, arriving }: Context): void {
  app.post(
    one,
    {
      preHandler: arriving.inTurn,
      ...writes(authentication, {
        operationId: 'createSessionWithId',
        summary: 'Create a session with an id in the path',
        description: 'For older clients. The body is the state itself, or `{"state": {…}, "events": […]}`.',
        deprecated: true,
        params: SessionPath,
        headers: IdempotencyKey,
        body: InitialState,
        response: { 200: { ...Session, headers: revisionHeader } },
        refusals: [409],
      }),
    },
    async (request, reply) => {
      const { state, events } = initialContent(request.body);
      const created = await sessions.createSession(
        { session: sessionKeyOf(request), stateJson: encodeMap(state), events: initialEvents(events) },
        keyedCall(request, reply),
      );
      return sendCreated(reply, created);
    },
  );
}

function addDeletion(app: App, { sessions, authentication }: Context): void {
  app.delete(
    one,
    writes(authentication, {
      operationId: 'deleteSession',
      summary: 'Delete a session',
      description:
        'Deletes it with its events and state; a run that is under way ends. 200 also when there is no such session. Artifacts and memory stay.',
      params: SessionPath,
      response: { 200: Type.Null() },
    }),
    async (request, reply) => {
      await sessions.deleteSession({ session: sessionKeyOf(request) }, unary);
      return sendJson(reply, Buffer.from('null'));
    },
  );
}

function sendCreated(reply: FastifyReply, created: CreateSessionResponse): FastifyReply {
  const { session, events } = created;
  markReplayed(reply, created);
  if (session === undefined) throw sessionWithoutHead();
  return sendJson(reply.header('etag', entityTag(session.revision)), sessionJson(session, events));
}
