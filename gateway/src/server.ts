import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { addArtifacts } from './artifacts/index.ts';
import { addAuth } from './auth/index.ts';
import { publicBaseUrl } from './config.ts';
import type { App, Context } from './context.ts';
import { errorHandler } from './edge/errors/problem.ts';
import { createAdmission } from './edge/http/admit.ts';
import { addBodyParsers } from './edge/http/body-parsers.ts';
import { limitBodyTime } from './edge/http/body-time.ts';
import { onClientError } from './edge/http/client-error.ts';
import { defaultAppPaths } from './edge/http/default-app-paths.ts';
import { isLiveUpgrade } from './edge/http/live-upgrade.ts';
import { createMethodGuard } from './edge/http/method-guard.ts';
import { observe } from './edge/http/observe.ts';
import { requestIdOf } from './edge/http/request-id.ts';
import { securityHeaders } from './edge/http/security-headers.ts';
import { createSlashRedirect } from './edge/http/slash-redirect.ts';
import { validatorCompiler } from './edge/http/validator.ts';
import { describeApi } from './edge/openapi/describe-api.ts';
import { addMemory } from './memory/index.ts';
import { addOperations } from './operations/index.ts';
import { addRuns } from './runs/index.ts';
import { addSessions } from './sessions/index.ts';
import { addWebUi } from './web-ui/index.ts';

/** The public API, slice by slice. */
const slices: readonly ((app: App, context: Context) => void | Promise<void>)[] = [
  addOperations,
  addAuth,
  addRuns,
  addSessions,
  addArtifacts,
  addMemory,
  addWebUi,
];

/** As long as a request line may be: whether an id is too long is for validation to say. */
const maxParamLength = 16_384;

/** For a body to arrive, whole. */
const bodyTimeMs = 120_000;
/** For one that is read as it flows. */
const longestUploadMs = 3_600_000;

/** The HTTP server, ready to listen. */
export async function createServer(context: Context): Promise<App> {
  const { config, log, draining } = context;
  const app: App = fastify({
    bodyLimit: config.GATEWAY_MAX_BODY_BYTES,
    requestTimeout: longestUploadMs,
    keepAliveTimeout: 72_000,
    // Node's own answer to a request without a host has no body: ours has.
    http: { headersTimeout: 30_000, requireHostHeader: false, shouldUpgradeCallback: isLiveUpgrade },
    routerOptions: { maxParamLength },
    exposeHeadRoutes: false,
    // The address of a request is that of its connection, but for proxies that are trusted to say whom they speak for.
    trustProxy: config.GATEWAY_TRUSTED_PROXIES.length > 0 ? config.GATEWAY_TRUSTED_PROXIES : false,
    forceCloseConnections: 'idle',
    genReqId: requestIdOf,
    ...defaultAppPaths(config.ADK_DEFAULT_APP_NAME),
    clientErrorHandler: (error, socket) => onClientError(error, socket),
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id).code(404).send({ detail: 'Not Found' });
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler({ log, bodyLimit: config.GATEWAY_MAX_BODY_BYTES }));
  const redirect = createSlashRedirect(app);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  app.addHook(
    'onRequest',
    createAdmission({
      allowed: config.CORS_ALLOWED_ORIGINS,
      publicBaseUrl: publicBaseUrl(config),
      boundTo: config.HOST,
      draining,
      redirect,
    }),
  );
  limitBodyTime(app, bodyTimeMs);
  observe(app, context);
  addBodyParsers(app);
  const closeOtherMethods = createMethodGuard(app);
  await describeApi(app, publicBaseUrl(config));
  app.decorateRequest('identity');
  app.addHook('preHandler', context.authentication.withinGrant);
  for (const addSlice of slices) await addSlice(app, context);
  closeOtherMethods();
  await app.ready();
  return app;
}
