import { Type } from 'typebox';
import type { App, Context } from '../context.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { encodeJson, sendJson } from '../edge/json/json-bytes.ts';
import { pageHeaders, PageQuery } from '../edge/paging/page-query.ts';
import { addNextPage, asksForPage, numberBefore, pageOf } from '../edge/paging/page.ts';
import { SessionPath } from '../edge/records/path.ts';
import { sessionKeyOf } from '../edge/records/session-key.ts';
import { admittedRevisions, entityTag } from '../edge/records/entity-tag.ts';
import { readEventPage } from './read-session.ts';
import { sendChangedSession, sendSession } from './send-session.ts';
import { IfMatch, PatchSessionRequest, revisionHeader, Session } from './session-record.ts';
import { reads, writes } from './session-family.ts';

const one = '/apps/:app_name/users/:user_id/sessions/:session_id';

/** Reads a session, whole or with a page of its events, and changes its state. */
export function sessionReadRoutes(app: App, context: Context): void {
  addRead(app, context);
  addChange(app, context);
}

function addRead(app: App, { sessions, authentication }: Context): void {
  app.get(
    one,
    reads(authentication, {
      params: SessionPath,
      operationId: 'getSession',
      summary: 'Get a session',
      description: 'With all its events, or with a page of them where `limit`, `cursor` or `order` is given.',
      querystring: PageQuery,
      response: { 200: { ...Session, headers: { ...revisionHeader, ...pageHeaders } } },
      refusals: [404],
    }),
    async (request, reply) => {
      const session = sessionKeyOf(request);
      if (!asksForPage(request.query)) return sendSession(reply, sessions, session);
      const list = ['events', ...Object.values(session)];
      const page = pageOf(list, request.query);
      const { limit, newestFirst } = page;
      const read = await readEventPage(sessions, { session, limit, newestFirst, afterSeq: numberBefore(page) });
      if (read.next !== undefined) addNextPage(reply, { list, page, last: [read.next] });
      return sendJson(reply.header('etag', entityTag(read.revision)), read.json);
    },
  );
}

function addChange(app: App, { sessions, authentication }: Context): void {
  app.patch(
    one,
    writes(authentication, {
      params: SessionPath,
      operationId: 'updateSession',
      summary: 'Change the state of a session',
      description:
        'Merges `stateDelta` key by key and stores it as an event; null deletes a key. With `If-Match` it is done only at that revision.',
      headers: Type.Object({ ...IfMatch.properties, ...IdempotencyKey.properties }),
      body: PatchSessionRequest,
      response: { 200: { ...Session, headers: revisionHeader } },
      refusals: [404, 412],
    }),
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const ifMatch = admittedRevisions(request.headers['if-match']);
      const stateDeltaJson = encodeJson(request.body.stateDelta);
      markReplayed(reply, await sessions.patchSession({ session, stateDeltaJson, ifMatch }, keyedCall(request, reply)));
      return sendChangedSession(reply, sessions, session);
    },
  );
}
