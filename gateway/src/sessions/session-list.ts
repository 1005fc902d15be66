import { CallUntil } from '@agentmesh/lib/rpc';
import type { Stopping } from '@agentmesh/lib/wait';
import type { ListSessionsRequest, ListSessionsResponse, SessionPlace } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import type { App, Context } from '../context.ts';
import { sendJsonArray } from '../edge/json/json-array.ts';
import { pageHeaders, PageQuery } from '../edge/paging/page-query.ts';
import { addNextPage, asksForPage, noPlace, type Page, pageOf } from '../edge/paging/page.ts';
import { UserPath } from '../edge/records/path.ts';
import { firstAnswer } from '../edge/streams/first-answer.ts';
import { readingFor } from '../edge/streams/reading-for.ts';
import { sessionJson } from './session-json.ts';
import { Session } from './session-record.ts';
import { reads } from './session-family.ts';

type Scope = Pick<ListSessionsRequest, 'accountId' | 'appName' | 'userId'>;

/** Sessions of a user: all, or a page. */
export function sessionListRoute(app: App, { sessions, authentication }: Context): void {
  app.get(
    '/apps/:app_name/users/:user_id/sessions',
    reads(authentication, {
      operationId: 'listSessions',
      summary: 'List the sessions of a user',
      description: 'All of them without events, or a page where `limit`, `cursor` or `order` is given.',
      params: UserPath,
      querystring: PageQuery,
      response: { 200: { ...Type.Array(Session), headers: pageHeaders } },
    }),
    async (request, reply) => {
      const { app_name: appName, user_id: userId } = request.params;
      const scope: Scope = { accountId: request.identity.accountId, appName, userId };
      const list = ['sessions', scope.accountId, appName, userId];
      const page = asksForPage(request.query) ? pageOf(list, request.query) : undefined;
      const onLast = ({ createdAt, sessionId }: SessionPlace): void => {
        if (page === undefined || reply.raw.headersSent) return;
        addNextPage(reply, { list, page, last: [String(createdAt), sessionId] });
      };
      const reading = readingFor(reply.raw);
      const answers = sessions.listSessions({ ...scope, ...(page && rangeOf(page)) }, new CallUntil(reading));
      return sendJsonArray(reply, printSessions(answers[Symbol.asyncIterator](), { reading, onLast }));
    },
  );
}

/**
 * Sessions in groups, as the service sends them. The list is never held in memory as a whole: each session repeats all app and
 * user state. `onLast` receives the end of a page while headers can still be set.
 */
async function* printSessions(
  answers: AsyncIterator<ListSessionsResponse>,
  { reading, onLast }: { reading: Stopping; onLast: (place: SessionPlace) => void },
): AsyncGenerator<Uint8Array[]> {
  let next = await firstAnswer(answers, reading);
  for (; next.done !== true; next = await answers.next()) {
    const { sessions, last } = next.value;
    if (last !== undefined) onLast(last);
    yield sessions.map((session) => sessionJson(session, []));
  }
}

function rangeOf({ limit, newestFirst, after, cursor }: Page) {
  if (after === undefined) return { limit, newestFirst };
  const [createdAt, sessionId] = after;
  if (!isMoment(createdAt) || !isId(sessionId)) throw noPlace(cursor);
  return { limit, newestFirst, after: { createdAt: BigInt(createdAt), sessionId } };
}

/** Whether a field is a Unix time in microseconds, as text of at most 16 digits. */
function isMoment(field: unknown): field is string {
  return typeof field === 'string' && /^\d{1,16}$/.test(field);
}

function isId(field: unknown): field is string {
  return typeof field === 'string' && !field.includes('\0');
}
