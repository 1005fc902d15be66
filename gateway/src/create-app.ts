import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Config } from './config.ts';
import type { App } from './context.ts';
import { onClientError } from './edge/http/client-error.ts';
import { createDefaultAppPaths } from './edge/http/default-app-paths.ts';
import { requestIdOf } from './edge/http/request-id.ts';
import { securityHeaders } from './edge/http/security-headers.ts';
import type { Upgrades } from './edge/http/upgrades.ts';

/** Longest path parameter, in characters. It is no limit of ids: longer ids are refused with 422 by their schema. */
const maxParamLength = 16_384;
/** Longest time for a body on routes that read their body as it arrives. */
const longestUploadMs = 3_600_000;

/** The HTTP server with its limits, before it has hooks and routes. */
export function createApp(config: Config, upgrades: Upgrades): App {
  const defaultApp = createDefaultAppPaths(config.ADK_DEFAULT_APP_NAME);
  const app: App = fastify({
    bodyLimit: config.GATEWAY_MAX_BODY_BYTES,
    requestTimeout: longestUploadMs,
    keepAliveTimeout: 72_000,
    // Node answers a request without a host with an empty body; `createAdmission` answers it with a JSON body.
    http: { headersTimeout: 30_000, requireHostHeader: false, shouldUpgradeCallback: upgrades.isUpgrade },
    routerOptions: { maxParamLength },
    exposeHeadRoutes: false,
    // `X-Forwarded-For` counts only when a trusted proxy sends it.
    trustProxy: config.GATEWAY_TRUSTED_PROXIES.length > 0 ? config.GATEWAY_TRUSTED_PROXIES : false,
    forceCloseConnections: 'idle',
    genReqId: requestIdOf,
    ...defaultApp.options,
    clientErrorHandler: (error, socket) => onClientError(error, socket),
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id).code(404).send({ detail: 'Not Found' });
    },
  });
  upgrades.learnRoutes(app);
  defaultApp.learnRoutes(app);
  return app;
}
