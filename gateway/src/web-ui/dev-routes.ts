import { MeshError } from '@agentmesh/lib/rpc';
import type { EventJson } from '@agentmesh/proto/event';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { BadRequest, HttpError } from '../edge/errors/request-error.ts';
import { sendJson } from '../edge/json/json-bytes.ts';
import { storedId } from '../edge/records/keywords.ts';
import { AppPath, SessionPath } from '../edge/records/path.ts';
import { sessionKeyOf } from '../edge/records/session-key.ts';
import { type AppGraph, dotOf, findAgent } from './agent-graph.ts';

const hide = true;
const app_name = storedId();
const ImageQuery = Type.Object(
  { dark_mode: Type.Boolean({ default: false }), node: Type.String({ default: '' }) },
  { required: [] },
);
const EventPath = Type.Object({ ...SessionPath.properties, event_id: storedId() });

/**
 * Routes that the web UI needs beside the public contract. Evaluations and the builder are not supported; their lists are empty.
 */
export function devRoutes(ui: App, context: Context): void {
  addGraphs(ui, context);
  addEventGraph(ui, context);
  addTelemetryChoice(ui, context);
  const { account } = context.authentication;
  const answers = {
    eval_sets: [],
    eval_results: [],
    tests: [],
    'metrics-info': { metricsInfo: [] },
    builder: '',
  };
  for (const [name, answer] of Object.entries(answers)) {
    const schema = { hide, params: AppPath };
    const url = `/dev/apps/:app_name/${name}`;
    ui.get(url, { preValidation: account, schema }, (_request, reply) => reply.send(answer));
    addRefusal(ui, url, ['POST', 'PUT', 'PATCH', 'DELETE']);
  }
  addRefusal(ui, '/dev/*', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
}

/**
 * Evaluations, tests and the builder, which this server does not have: the UI hides them (`session.css`), and calls of other
 * clients get an error.
 */
function addRefusal(ui: App, url: string, method: HTTPMethods[]): void {
  const detail = 'Evaluations, tests and the agent builder are not part of Agent Mesh.';
  const refuse = (_request: FastifyRequest, reply: FastifyReply) => reply.code(501).send({ detail });
  // In onRequest, because the answer does not depend on the body.
  ui.route({
    method,
    url,
    schema: { hide },
    onRequest: async (request, reply) => refuse(request, reply),
    handler: refuse,
  });
}

function addGraphs(ui: App, context: Context): void {
  const preValidation = context.authentication.account;

  ui.get(
    '/dev/apps/:app_name/build_graph',
    { preValidation, schema: { hide, params: AppPath } },
    async ({ identity, params }, reply) => {
      return sendJson(reply, await readGraph(context, { ...params, account: identity.accountId }));
    },
  );

  ui.get(
    '/dev/apps/:app_name/build_graph_image',
    { preValidation, schema: { hide, params: Type.Object({ app_name }), querystring: ImageQuery } },
    async ({ identity, params, query }) => {
      const graph = parseGraph(await readGraph(context, { ...params, account: identity.accountId }));
      const agent = findAgent(graph.root_agent, query.node);
      if (agent === undefined) throw new HttpError(404, `Node not found: ${query.node}`);
      return { [query.node]: { dotSrc: dotOf(agent, { dark: query.dark_mode }) } };
    },
  );
}

/** Graph with the event's agent and the tools it called highlighted. */
function addEventGraph(ui: App, context: Context): void {
  ui.get(
    '/dev/apps/:app_name/users/:user_id/sessions/:session_id/events/:event_id/graph',
    { preValidation: context.authentication.account, schema: { hide, params: EventPath } },
    async (request) => {
      const event = await findEvent(context, sessionKeyOf(request), request.params.event_id);
      if (event === undefined) throw new HttpError(404, `Event not found: ${request.params.event_id}`);
      const { app_name: name } = request.params;
      const graph = parseGraph(await readGraph(context, { app_name: name, account: request.identity.accountId }));
      return { dotSrc: dotOf(graph.root_agent, { dark: true, lit: namesIn(event) }) };
    },
  );
}

function addTelemetryChoice(ui: App, { authentication }: Context): void {
  const preValidation = authentication.account;
  ui.get('/config/telemetry', { preValidation, schema: { hide } }, () => ({ telemetry: false }));
  ui.post(
    '/config/telemetry',
    { preValidation, schema: { hide, body: Type.Object({ telemetry: Type.Boolean() }) } },
    ({ headers }) => {
      if (headers['x-adk-telemetry-request'] !== 'true') throw new BadRequest('X-ADK-Telemetry-Request is missing');
      // The choice has no effect: this server sends no telemetry to anybody.
      return { telemetry: false };
    },
  );
}

interface GraphRequest {
  readonly account: string;
  readonly app_name: string;
}

async function readGraph({ runs }: Context, { account, app_name: appName }: GraphRequest): Promise<Uint8Array> {
  const { json } = await runs.getAppGraph({ accountId: account, appName }, unary).catch((error: unknown) => {
    if (!(error instanceof MeshError) || error.reason !== 'app_not_found') throw error;
    throw new HttpError(404, `App not found: ${appName}`);
  });
  return json;
}

function parseGraph(json: Uint8Array): AppGraph {
  return JSON.parse(Buffer.from(json).toString()) as AppGraph;
}

type Key = Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

async function findEvent({ sessions }: Context, session: Key, id: string): Promise<EventJson | undefined> {
  const found = new AbortController();
  try {
    for await (const page of sessions.getSession({ session }, { ...unary, signal: found.signal })) {
      const event = page.events.map((json) => readEvent(json, id)).find((one) => one !== undefined);
      if (event !== undefined) return event;
    }
    return undefined;
  } finally {
    found.abort();
  }
}

/** Parses only events whose bytes contain the id. */
function readEvent(json: Uint8Array, id: string): EventJson | undefined {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!bytes.includes(id)) return undefined;
  const event = JSON.parse(bytes.toString()) as EventJson;
  return event.id === id ? event : undefined;
}

function namesIn({ author, content }: EventJson): ReadonlySet<string> {
  const parts = (content?.parts ?? []) as { functionCall?: { name?: string }; functionResponse?: { name?: string } }[];
  const tools = parts.map(({ functionCall, functionResponse }) => functionCall?.name ?? functionResponse?.name ?? '');
  return new Set([author ?? '', ...tools]);
}
