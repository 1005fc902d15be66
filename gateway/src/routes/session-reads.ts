import type { FastifyReply } from 'fastify';
import { type App, type Context, unary } from '../context.ts';
import { admittedRevisions, entityTag } from '../http/entity-tag.ts';
import { encodeJson, sendJson } from '../http/json-bytes.ts';
import { addNextPage, cursorFault, type Page, pageOf } from '../http/page.ts';
import { pageHeaders, PageQuery } from '../schemas/page.ts';
import { SessionPath } from '../schemas/path.ts';
import { bodyFailures, failures, Problem } from '../schemas/problem.ts';
import { IfMatch, PatchSessionRequest, revisionHeader, Session } from '../schemas/session.ts';
import { readEventPage, readSession, type SessionRead } from './read-session.ts';
import { sessionKeyOf } from './session-key.ts';

const one = '/apps/:app_name/users/:user_id/sessions/:session_id';
const common = { tags: ['sessions'], params: SessionPath };

/** Reads a session, whole or with a page of its events, and changes its state. */
export function sessionReadRoutes(app: App, context: Context): void {
  addRead(app, context);
  addChange(app, context);
}

function addRead(app: App, { sessions, authentication }: Context): void {
  app.get(
    one,
    {
      preValidation: authentication.runtime,
      schema: {
        ...common,
        operationId: 'getSession',
        summary: 'Read a session, whole or with a page of its events',
        querystring: PageQuery,
        response: { 200: { ...Session, headers: { ...revisionHeader, ...pageHeaders } }, 404: Problem, ...failures },
      },
    },
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const list = ['events', ...Object.values(session)];
      const page = pageOf(list, request.query);
      if (page === undefined) return sendSession(reply, await readSession(sessions, session));
      const { limit, newestFirst } = page;
      const afterSeq = sequenceOf(page, request.query.cursor);
      const read = await readEventPage(sessions, { session, limit, newestFirst, afterSeq });
      if (read.next !== undefined) addNextPage(reply, { list, page, last: [read.next] });
      return sendSession(reply, read);
    },
  );
}

function addChange(app: App, { sessions, authentication }: Context): void {
  app.patch(
    one,
    {
      preValidation: authentication.runtime,
      schema: {
        ...common,
        operationId: 'updateSession',
        summary: 'Change the state of a session',
        headers: IfMatch,
        body: PatchSessionRequest,
        response: {
          200: { ...Session, headers: revisionHeader },
          404: Problem,
          412: Problem,
          ...bodyFailures,
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const ifMatch = admittedRevisions(request.headers['if-match']);
      const stateDeltaJson = encodeJson(request.body.stateDelta);
      await sessions.patchSession({ session, stateDeltaJson, ifMatch }, unary);
      return sendSession(reply, await readSession(sessions, session));
    },
  );
}

function sequenceOf({ after }: Page, cursor = ''): number {
  if (after === undefined) return 0;
  const [seq] = after;
  if (typeof seq === 'number' && Number.isInteger(seq) && seq > 0 && seq < 2 ** 31) return seq;
  throw cursorFault(cursor, 'the cursor names no place');
}

function sendSession(reply: FastifyReply, { json, revision }: SessionRead): FastifyReply {
  return sendJson(reply.header('etag', entityTag(revision)), json);
}
