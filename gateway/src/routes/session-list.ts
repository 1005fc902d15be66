import type { ListSessionsRequest, SessionPlace } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { jsonArray, sendJson } from '../http/json-bytes.ts';
import { addNextPage, asksForPage, noPlace, type Page, pageOf } from '../http/page.ts';
import { pageHeaders, PageQuery } from '../schemas/page.ts';
import { UserPath } from '../schemas/path.ts';
import { failures } from '../schemas/problem.ts';
import { Session } from '../schemas/session.ts';
import { sessionJson } from './session-json.ts';

type Scope = Pick<ListSessionsRequest, 'accountId' | 'appName' | 'userId'>;

/** The sessions of a user: all of them, or a page. */
export function sessionListRoute(app: App, { sessions, authentication }: Context): void {
  app.get(
    '/apps/:app_name/users/:user_id/sessions',
    {
      preValidation: authentication.runtime,
      schema: {
        tags: ['sessions'],
        operationId: 'listSessions',
        summary: 'List sessions',
        params: UserPath,
        querystring: PageQuery,
        response: { 200: { ...Type.Array(Session), headers: pageHeaders }, ...failures },
      },
    },
    async (request, reply) => {
      const { app_name: appName, user_id: userId } = request.params;
      const scope: Scope = { accountId: request.identity.accountId, appName, userId };
      const list = ['sessions', scope.accountId, appName, userId];
      const page = asksForPage(request.query) ? pageOf(list, request.query) : undefined;
      const found: Uint8Array[] = [];
      let last: SessionPlace | undefined;
      for await (const message of sessions.listSessions({ ...scope, ...(page && rangeOf(page)) }, unary)) {
        for (const session of message.sessions) found.push(sessionJson(session, []));
        last = message.last;
      }
      if (page !== undefined && last !== undefined) {
        addNextPage(reply, { list, page, last: [String(last.createdAt), last.sessionId] });
      }
      return sendJson(reply, jsonArray(found));
    },
  );
}

function rangeOf({ limit, newestFirst, after, cursor }: Page) {
  if (after === undefined) return { limit, newestFirst };
  const [createdAt, sessionId] = after;
  if (!isMoment(createdAt) || !isId(sessionId)) throw noPlace(cursor);
  return { limit, newestFirst, after: { createdAt: BigInt(createdAt), sessionId } };
}

/** Microseconds of this and the next centuries. */
function isMoment(field: unknown): field is string {
  return typeof field === 'string' && /^\d{1,16}$/.test(field);
}

function isId(field: unknown): field is string {
  return typeof field === 'string' && !field.includes('\0');
}
