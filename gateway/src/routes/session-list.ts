import type { ListSessionsRequest, SessionPlace } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import type { App, Context } from '../context.ts';
import { clientLeft } from '../http/client-left.ts';
import { joinBytes, separated } from '../http/json-bytes.ts';
import { sendJsonChunks } from '../http/json-chunks.ts';
import { addNextPage, asksForPage, noPlace, type Page, pageOf } from '../http/page.ts';
import { pageHeaders, PageQuery } from '../schemas/page.ts';
import { UserPath } from '../schemas/path.ts';
import { failures } from '../schemas/problem.ts';
import { Session } from '../schemas/session.ts';
import { sessionJson } from './session-json.ts';

/** Long lists take their time; a service that says nothing for ever does not. */
const timeoutMs = 120_000;

const opening = Buffer.from('[');
const comma = Buffer.from(',');
const closing = Buffer.from(']');
const emptyList = Buffer.from('[]');

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
      const onLast = ({ createdAt, sessionId }: SessionPlace): void => {
        if (page !== undefined) addNextPage(reply, { list, page, last: [String(createdAt), sessionId] });
      };
      return sendJsonChunks(reply, printList(sessions, { ...scope, ...(page && rangeOf(page)) }, onLast));
    },
  );
}

/** A list is far larger than what it is made of, since each session has all app and user state: it is never held as a whole. */
async function* printList(
  sessions: Context['sessions'],
  request: Parameters<Context['sessions']['listSessions']>[0],
  onLast: (place: SessionPlace) => void,
): AsyncGenerator<Uint8Array> {
  const reading = new AbortController();
  try {
    let isFirst = true;
    for await (const message of sessions.listSessions(request, { timeoutMs, signal: reading.signal })) {
      if (message.sessions.length === 0) continue;
      if (isFirst && message.last !== undefined) onLast(message.last);
      yield joinBytes([isFirst ? opening : comma, ...separated(message.sessions.map((one) => sessionJson(one, [])))]);
      isFirst = false;
    }
    yield isFirst ? emptyList : closing;
  } finally {
    reading.abort(clientLeft);
  }
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
