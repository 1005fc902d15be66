import { runRecord, statusOf } from '@agentmesh/proto/run-record';
import type { ListRunsRequest, ListRunsRequestSchema, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { jsonArray, sendJson } from '../../edge/json/json-bytes.ts';
import { pageHeaders, PageQuery } from '../../edge/paging/page-query.ts';
import { addNextPage, noPlace, type Page, pageOf } from '../../edge/paging/page.ts';
import { storedId } from '../../edge/records/keywords.ts';
import { SessionPath } from '../../edge/records/path.ts';
import { sessionKeyOf } from '../../edge/records/session-key.ts';
import { noNul } from '../../edge/validation/index.ts';
import { listedUser } from './run-paths.ts';
import { Run, Status } from './ledger-record.ts';
import { readsOfRun } from '../run-family.ts';

const readsOfSession = routeFamily({ tag: 'runs', caller: 'runtime', scope: 'runs:read' });

const { limit, cursor } = PageQuery.properties;

const TimeQuery = {
  status: Type.Optional(Status),
  since: Type.Optional(
    Type.String({
      maxLength: 64,
      examples: ['2026-01-01T00:00:00Z'],
      description: 'Only runs that were accepted at this time or later: RFC 3339, or Unix seconds.',
    }),
  ),
  agentVersion: Type.Optional(
    Type.String({
      pattern: noNul,
      maxLength: 64,
      examples: ['7'],
      description: 'Only runs that this version of their agent has answered: see `agentVersion` of a run.',
    }),
  ),
  minCost: Type.Optional(
    Type.Number({
      minimum: 0,
      examples: [0.1],
      description: 'Only runs that have cost so many US dollars or more: see `cost` of their `usage`.',
    }),
  ),
  limit,
  cursor,
};

const RunsQuery = Type.Object(
  {
    app: Type.Optional(storedId()),
    user: Type.Optional(storedId()),
    session: Type.Optional(storedId({ description: 'With `app` and `user` it names one session, which must exist.' })),
    ...TimeQuery,
  },
  { title: 'Runs' },
);

const SessionRunsQuery = Type.Object(TimeQuery, { title: 'SessionRuns' });

const list = { ...Type.Array(Run), headers: pageHeaders };

/** Runs of the account, and runs of one session. */
export function runListRoutes(app: App, context: Context): void {
  addList(app, context);
  addSessionList(app, context);
}

function addList(app: App, { sessions, authentication }: Context): void {
  app.get(
    '/runs',
    readsOfRun(authentication, {
      operationId: 'listRuns',
      summary: 'List runs',
      description:
        'Runs of the account, newest first, 100 or `limit` of them. A page can be shorter than `limit` although others follow: `X-Next-Cursor` tells.',
      querystring: RunsQuery,
      response: { 200: list },
      refusals: [400, 404],
    }),
    async ({ identity, query }, reply) => {
      const { app: appName = '', session: sessionId = '' } = query;
      const filter = { accountId: identity.accountId, appName, userId: listedUser(identity, query.user), sessionId };
      return sendJson(reply, await readPage(sessions, { filter, query, reply }));
    },
  );
}

function addSessionList(app: App, { sessions, authentication }: Context): void {
  app.get(
    '/apps/:app_name/users/:user_id/sessions/:session_id/runs',
    readsOfSession(authentication, {
      operationId: 'listSessionRuns',
      summary: 'List the runs of a session',
      description: 'Newest first, 100 or `limit` of them.',
      params: SessionPath,
      querystring: SessionRunsQuery,
      response: { 200: list },
      refusals: [404],
    }),
    async (request, reply) => {
      const filter = sessionKeyOf(request);
      return sendJson(reply, await readPage(sessions, { filter, query: request.query, reply }));
    },
  );
}

interface Listing {
  readonly filter: Filter;
  readonly query: Static<typeof SessionRunsQuery>;
  readonly reply: FastifyReply;
}

/** Reads a page as JSON, and sets the headers that name the next one. */
async function readPage(
  sessions: Client<typeof SessionsService>,
  { filter, query, reply }: Listing,
): Promise<Uint8Array> {
  const { status, since, agentVersion = '', minCost = 0 } = query;
  const name = ['runs', ...Object.values(filter), status ?? '', since ?? '', agentVersion, String(minCost)];
  const page = pageOf(name, { ...query, order: 'desc' });
  const statuses = status === undefined ? [] : [statusOf[status]];
  const request = { ...filter, agentVersion, minCost, statuses, since: secondsOf(since), ...rangeOf(page) };
  const { runs, last } = await sessions.listRuns(request, unary);
  if (last !== undefined) {
    addNextPage(reply, { list: name, page, last: [String(last.createdAt), String(last.position)] });
  }
  return jsonArray(runs.map(runRecord));
}

type Filter = Pick<ListRunsRequest, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

function rangeOf({
  limit,
  after,
  cursor,
}: Page): Pick<MessageInitShape<typeof ListRunsRequestSchema>, 'limit' | 'after'> {
  if (after === undefined) return { limit };
  const [createdAt, position] = after;
  if (!isNumber(createdAt) || !isNumber(position)) throw noPlace(cursor);
  return { limit, after: { createdAt: BigInt(createdAt), position: BigInt(position) } };
}

/** Whether a field is a number as text of at most 18 digits. */
function isNumber(field: unknown): field is string {
  return typeof field === 'string' && /^\d{1,18}$/.test(field);
}

const latestSeconds = 253_402_300_799;

/** Unix seconds of a time; 0 for none. */
function secondsOf(time: string | undefined): number {
  if (time === undefined) return 0;
  const isText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(time);
  const seconds = isText ? Date.parse(time) / 1000 : /^\d+(\.\d+)?$/.test(time) ? Number(time) : Number.NaN;
  if (seconds >= 0 && seconds <= latestSeconds) return seconds;
  const error = 'not a time in RFC 3339 or Unix seconds';
  throw new InvalidRequest([
    { type: 'value_error', loc: ['query', 'since'], msg: `Value error, ${error}`, input: time, ctx: { error } },
  ]);
}
