import fastifyWebsocket from '@fastify/websocket';
import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { publicBaseUrl } from '../../config.ts';
import { type App, type Context, unary } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { openBytes } from '../../edge/bodies/body-limits.ts';
import { BadRequest, InvalidRequest } from '../../edge/errors/request-error.ts';
import { createHostCheck, foreignHost } from '../../edge/origins/host.ts';
import { createForeignCheck, foreignOrigin } from '../../edge/origins/origin.ts';
import { requestCheck } from '../../edge/validation/index.ts';
import { openRun, refuseInternalApp } from '../open-run.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import { keepAlive } from './heartbeat.ts';
import { LiveQuery } from './live-record.ts';
import { Outbox } from './outbox.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Reason to refuse a live connection: a foreign origin or a foreign host. */
    liveRefusal: string | undefined;
  }
}

/** Subprotocol for browsers, which cannot set headers: they offer it together with `bearer.<token>`. */
const subprotocol = 'agentmesh.v1';
const tokenPrefix = 'bearer.';
const modalities = new Set(['TEXT', 'AUDIO', 'VIDEO']);
const waitingMessages = 16;

const checkQuery = requestCheck(LiveQuery, 'query');

/** `/run_live`: runs over a WebSocket. Text works with every model. Audio needs a live model; none is supported yet. */
export async function addRunLive(app: App, context: Context): Promise<void> {
  const { authentication, config, draining } = context;
  const conversations = new Set<Conversation>();
  draining.addEventListener('abort', () => conversations.forEach((one) => one.drain()), { once: true });
  app.decorateRequest('liveRefusal', undefined);
  await app.register(fastifyWebsocket, {
    options: {
      maxPayload: config.GATEWAY_MAX_BODY_BYTES,
      handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
    },
    // The socket has already answered a broken frame.
    errorHandler: (_error, socket) => void (socket.readyState === socket.OPEN && socket.close(1011, 'Internal error')),
    // Connections end after their present run; the listener on `draining` above sees to it.
    preClose: (done) => done(),
  });
  app.route({
    method: 'GET',
    url: '/run_live',
    config: { scope: 'runs:write', readsUserFromQuery: true },
    schema: { hide: true },
    onRequest: createEntry(context),
    preValidation: (request, reply, done) =>
      request.liveRefusal !== undefined ? done() : authentication.runtime(request, reply, done),
    handler: (_request, reply) => {
      reply.code(426).header('upgrade', 'websocket').send({ detail: 'This is a WebSocket.' });
    },
    wsHandler: (socket, request) => {
      const { liveRefusal: reason } = request;
      if (reason !== undefined) return new Outbox(socket).close({ code: 1008, reason });
      const conversation = new Conversation(socket, optionsOf(request, context));
      conversations.add(conversation);
      const open = authentication.onRevocation(request.identity, () => conversation.revoke());
      socket.once('close', () => {
        conversations.delete(conversation);
        open[Symbol.dispose]();
      });
      keepAlive(socket, config.GATEWAY_HEARTBEAT_SECONDS * 1000);
      void conversation.start();
      if (draining.aborted) conversation.drain();
    },
  });
}

/** Checks origin and host, and reads a token that was offered as a subprotocol. */
function createEntry({ config }: Context) {
  const policy = { allowed: config.CORS_ALLOWED_ORIGINS, publicBaseUrl: publicBaseUrl(config), boundTo: config.HOST };
  const { isForeign } = createForeignCheck(policy);
  const isOwnHost = createHostCheck(policy);
  return (request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void => {
    const { headers } = request.raw;
    if (!isOwnHost(headers.host)) request.liveRefusal = foreignHost;
    else if (isForeign(headers)) request.liveRefusal = foreignOrigin;
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    const token = offered.find((one) => one.startsWith(tokenPrefix))?.slice(tokenPrefix.length);
    if (token !== undefined) headers.authorization ??= `Bearer ${token}`;
    done();
  };
}

/** Session that a live connection is about. */
interface Place {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

function optionsOf(request: FastifyRequest, context: Context): ConversationOptions {
  const { arriving, authentication, bodies, config, log, runs } = context;
  const defaultApp = config.ADK_DEFAULT_APP_NAME;
  return {
    messages: waitingMessages,
    bytes: config.GATEWAY_MAX_BODY_BYTES,
    stream: request.raw.socket,
    pace: bodies.paceOf(request.identity.accountId),
    hold: (bytes, giveUp) => (bytes > openBytes ? bodies.large : bodies.small).hold(giveUp),
    admit: async () => findRoot(context, request.identity.accountId, readPlace(request.query, defaultApp)),
    recheck: () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      authentication.runtime(request, undefined, (error) => (error === undefined ? resolve() : reject(error)));
      return promise;
    },
    open: async (newMessage) => {
      const body = { ...readPlace(request.query, defaultApp), newMessage, streaming: true };
      const { identity } = request;
      const content = { runs, identity, body, defaultApp, streaming: true };
      return arriving.forMessage(request, (reading) => openRun({ ...content, reading }));
    },
    onError: (error) => {
      if (problemOf(error) === undefined) log.error({ err: error, requestId: request.id }, 'a live connection broke');
    },
  };
}

function readPlace(query: unknown, defaultApp: string | undefined): Place {
  const outcome = checkQuery(query);
  if ('issues' in outcome) throw new InvalidRequest(outcome.issues);
  const { app_name, user_id: userId, session_id: sessionId } = outcome.value as LiveQuery;
  const asked = (query as { modalities?: string | string[] }).modalities ?? [];
  if (![asked].flat().every((one) => modalities.has(one.toUpperCase()))) {
    throw new BadRequest('modalities: Input should be TEXT, AUDIO or VIDEO');
  }
  const appName = app_name || defaultApp;
  if (appName === undefined) throw new BadRequest('app_name: Field required');
  return { appName, userId, sessionId };
}

/** Name of the app's root agent. Fails if app or session does not exist. */
async function findRoot({ runs, sessions }: Context, accountId: string, place: Place): Promise<string> {
  refuseInternalApp(place.appName);
  const { json } = await runs.getAppGraph({ accountId, appName: place.appName }, unary);
  await Array.fromAsync(sessions.getSession({ session: { accountId, ...place }, numRecentEvents: 0 }, unary));
  return (JSON.parse(Buffer.from(json).toString()) as { root_agent: { name: string } }).root_agent.name;
}
