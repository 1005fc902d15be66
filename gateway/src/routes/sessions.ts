import { MeshError } from '@agentmesh/lib/rpc';
import type { CreateSessionResponse } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { unary, type App, type Context } from '../context.ts';
import { encodeJson, encodeMap, jsonArray, sendJson } from '../http/json-bytes.ts';
import { SessionPath, UserPath } from '../schemas/path.ts';
import { bodyFailures, failures, Problem } from '../schemas/problem.ts';
import { CreateSessionRequest, InitialState, PatchSessionRequest, Session } from '../schemas/session.ts';
import { initialEvents } from './initial-events.ts';
import { readSession } from './read-session.ts';
import { sessionKeyOf } from './session-key.ts';
import { sessionJson } from './session-json.ts';

const users = '/apps/:app_name/users/:user_id/sessions';
const one = `${users}/:session_id`;
const tags = ['sessions'];
/** Sessions of evaluations are not shown in lists. */
const hiddenPrefix = '___eval___session___';

/** Create, read, list, patch and delete sessions. */
export function sessionRoutes(app: App, context: Context): void {
  addCreation(app, context);
  addCreationWithId(app, context);
  addList(app, context);
  addReadAndChange(app, context);
  addDeletion(app, context);
}

function addCreation(app: App, { sessions, authentication }: Context): void {
  app.post(
    users,
    {
      preValidation: authentication.runtime,
      schema: {
        tags,
        operationId: 'createSession',
        summary: 'Create a session',
        params: UserPath,
        body: CreateSessionRequest,
        response: { 200: Session, ...bodyFailures, 409: Problem, ...failures },
      },
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
        unary,
      );
      return sendCreated(reply, created);
    },
  );
}

function addCreationWithId(app: App, { sessions, authentication }: Context): void {
  app.post(
    one,
    {
      preValidation: authentication.runtime,
      schema: {
        tags,
        operationId: 'createSessionWithId',
        summary: 'Create a session with an id; the body is its state',
        deprecated: true,
        params: SessionPath,
        body: InitialState,
        response: { 200: Session, ...bodyFailures, 409: Problem, ...failures },
      },
    },
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const created = await sessions.createSession({ session, stateJson: encodeMap(request.body) }, unary);
      return sendCreated(reply, created);
    },
  );
}

function addList(app: App, { sessions, authentication }: Context): void {
  app.get(
    users,
    {
      preValidation: authentication.runtime,
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List sessions',
        params: UserPath,
        response: { 200: Type.Array(Session), ...failures },
      },
    },
    async (request, reply) => {
      const { app_name: appName, user_id: userId } = request.params;
      const found: Uint8Array[] = [];
      const { accountId } = request.identity;
      for await (const page of sessions.listSessions({ accountId, appName, userId }, unary)) {
        for (const session of page.sessions) {
          if (!session.id.startsWith(hiddenPrefix)) found.push(sessionJson(session, []));
        }
      }
      return sendJson(reply, jsonArray(found));
    },
  );
}

function addReadAndChange(app: App, { sessions, authentication }: Context): void {
  const read = { tags, params: SessionPath, response: { 200: Session, 404: Problem, ...failures } };

  app.get(
    one,
    {
      preValidation: authentication.runtime,
      schema: { ...read, operationId: 'getSession', summary: 'Read a session' },
    },
    async (request, reply) => sendJson(reply, await readSession(sessions, sessionKeyOf(request))),
  );

  app.patch(
    one,
    {
      preValidation: authentication.runtime,
      schema: {
        ...read,
        operationId: 'updateSession',
        summary: 'Change the state of a session',
        body: PatchSessionRequest,
        response: { ...read.response, ...bodyFailures },
      },
    },
    async (request, reply) => {
      const session = sessionKeyOf(request);
      await sessions.patchSession({ session, stateDeltaJson: encodeJson(request.body.stateDelta) }, unary);
      return sendJson(reply, await readSession(sessions, session));
    },
  );
}

function addDeletion(app: App, { sessions, authentication }: Context): void {
  app.delete(
    one,
    {
      preValidation: authentication.runtime,
      schema: {
        tags,
        operationId: 'deleteSession',
        summary: 'Delete a session',
        params: SessionPath,
        response: { 200: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await sessions.deleteSession({ session: sessionKeyOf(request) }, unary);
      return sendJson(reply, Buffer.from('null'));
    },
  );
}

function sendCreated(reply: FastifyReply, { session, events }: CreateSessionResponse): FastifyReply {
  if (session === undefined) throw new MeshError('internal', 'session_without_head', 'The session could not be read.');
  return sendJson(reply, sessionJson(session, events));
}
