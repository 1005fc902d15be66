import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { BadRequest, HttpError } from '../../edge/errors/request-error.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { AppPath } from '../../edge/records/path.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import { onceClosed } from '../../edge/streams/once-closed.ts';
import { cancelCall, nameSession } from './cancel-call.ts';
import { callTool } from './call-tool.ts';
import { mcpProblem } from './mcp-problem.ts';
import { type NamedApp, toolOf } from './tools.ts';

const calls = routeFamily({
  tag: 'doors',
  caller: 'account',
  scope: 'runs:write',
  limitsToUser: true,
  setsNoState: true,
  problemAs: mcpProblem,
});

const eventStream = 'text/event-stream';
const instructions =
  'Each tool is an agent. A result names its session: give session_id to go on with that conversation. A result with the status waiting says how to answer.';

/** One address for all apps, and one for each app. Both keep nothing of a client between its requests. */
export function mcpRoutes(app: App, context: Context): void {
  const { authentication, arriving } = context;
  const turns = { onRequest: arriving.enter, preHandler: arriving.takeTurn };
  const common = { hide: true, headers: IdempotencyKey, body: Type.Unknown() } as const;
  app.post('/mcp', { ...turns, ...calls(authentication, common) }, async (request, reply) => {
    const apps = await appsOf(context, request);
    return serve(context, { request, reply, apps });
  });
  app.post(
    '/mcp/:app_name',
    { ...turns, ...calls(authentication, { ...common, params: AppPath }) },
    async (request, reply) => {
      const { app_name: name } = request.params;
      const apps = (await appsOf(context, request)).filter((one) => one.name === name);
      if (apps.length === 0) throw new HttpError(404, `There is no app ${JSON.stringify(name)}.`);
      return serve(context, { request, reply, apps });
    },
  );
}

async function appsOf({ runs }: Context, { identity }: FastifyRequest): Promise<readonly NamedApp[]> {
  const { apps } = await runs.listApps({ accountId: identity.accountId }, unary);
  return apps.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Message {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly apps: readonly NamedApp[];
}

/** Hands the message to the library with a server of its own, and sends what the library answers. */
async function serve(context: Context, message: Message): Promise<FastifyReply> {
  const { request, reply, apps } = message;
  const count = [request.body].flat().filter(isCall).length;
  if (count > 1) throw new BadRequest('A batch may hold one tools/call: send each call by itself.');
  nameSession(request, reply);
  await cancelCall(context, request);
  const mcp = await import('@modelcontextprotocol/server');
  const left = new AbortController();
  if (reply.raw.destroyed) left.abort();
  onceClosed(reply.raw, () => left.abort());
  const revoked = new AbortController();
  using _open = context.authentication.onRevocation(request.identity, () => revoked.abort());
  const handler = mcp.createMcpHandler(
    ({ era }) => {
      const server = new mcp.Server(
        { name: 'agent-mesh', version: '1' },
        // A client of the older protocol would have to answer the questions of a stateless server with requests that nothing connects with them.
        { capabilities: { tools: {} }, instructions, inputRequired: { legacyShim: false } },
      );
      server.setRequestHandler('tools/list', () => ({ tools: apps.map(toolOf) }));
      server.setRequestHandler('tools/call', ({ params }, call) =>
        callTool({ ...message, context, mcp, era, revoked: revoked.signal }, params, call),
      );
      return server;
    },
    // A call answers with a stream from its begin on: heartbeats go through it. The stream below sends them.
    { responseMode: count > 0 ? 'sse' : 'auto', keepAliveMs: 0 },
  );
  const response = await handler.fetch(webRequest(request, left.signal), { parsedBody: request.body });
  return await send(reply, response, context.config.GATEWAY_HEARTBEAT_SECONDS * 1000);
}

function isCall(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'tools/call';
}

/** The request as the library wants it, with the headers that it reads. Its body is handed over parsed. */
function webRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const read = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-.*)$/.test(name));
  return new Request('http://mesh.invalid/', {
    method: 'POST',
    headers: read.map(([name, value]) => [name, String(value)] as [string, string]),
    signal,
  });
}

async function send(reply: FastifyReply, response: Response, heartbeatMs: number): Promise<FastifyReply> {
  const { body, status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (body === null || !type.startsWith(eventStream)) {
    if (type !== '') reply.type(type);
    return reply.code(status).send(Buffer.from(await response.arrayBuffer()));
  }
  const own = { 'content-type': eventStream, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
  const stream = new EventStream(reply, { headers: own, heartbeatMs, onGone: () => undefined });
  try {
    for await (const frame of body) await stream.write(frame as Uint8Array);
  } finally {
    stream.end();
  }
  return reply;
}
