import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { addAgents } from './agents/index.ts';
import { addArtifacts } from './artifacts/index.ts';
import { addConsole } from './console/index.ts';
import { addAuth } from './auth/index.ts';
import { type Config, publicBaseUrl } from './config.ts';
import { createAgentAppCheck } from './edge/authentication/agent-apps.ts';
import type { App, Context } from './context.ts';
import { errorHandler } from './edge/errors/problem.ts';
import { createAdmission } from './edge/http/admit.ts';
import { addBodyParsers } from './edge/bodies/body-parsers.ts';
import { limitBodies } from './edge/bodies/body-limits.ts';
import { limitBodyTime } from './edge/bodies/body-time.ts';
import { onClientError } from './edge/http/client-error.ts';
import { closeStalled } from './edge/http/close-stalled.ts';
import { createDefaultAppPaths } from './edge/http/default-app-paths.ts';
import { createMethodGuard } from './edge/http/method-guard.ts';
import { observe } from './edge/http/observe.ts';
import { requestIdOf } from './edge/http/request-id.ts';
import { securityHeaders } from './edge/http/security-headers.ts';
import { createSlashRedirect } from './edge/http/slash-redirect.ts';
import { createUpgrades, type Upgrades } from './edge/http/upgrades.ts';
import { validatorCompiler } from './edge/http/validator.ts';
import { describeApi, type Section } from './edge/openapi/describe-api.ts';
import { addIntegrations } from './integrations/index.ts';
import { addKeys, addSavedKeys, addUsage } from './keys/index.ts';
import { addMemory } from './memory/index.ts';
import { addOperations } from './operations/index.ts';
import { addRuns } from './runs/index.ts';
import { addSchedules } from './schedules/index.ts';
import { addSessions } from './sessions/index.ts';
import { addTranscription } from './transcription/index.ts';
import { addWebhooks } from './webhooks/index.ts';
import { addWebUi } from './web-ui/index.ts';

/** The public API, slice by slice. */
const slices: readonly ((app: App, context: Context) => void | Promise<void>)[] = [
  addOperations,
  addAuth,
  addRuns,
  addSchedules,
  addAgents,
  addSessions,
  addArtifacts,
  addMemory,
  addTranscription,
  addKeys,
  addSavedKeys,
  addIntegrations,
  addUsage,
  addWebhooks,
  addWebUi,
  addConsole,
];

/** Sections of the API's documentation, in the order that a newcomer needs them. */
const sections: readonly Section[] = [
  { name: 'accounts', description: 'Sign up, sign in, tokens for programs, account mail, users, audit.' },
  { name: 'sessions', description: 'Conversations of one end user with one application: state and events.' },
  { name: 'runs', description: 'Send a message to an agent in a session and get its events.' },
  { name: 'schedules', description: 'Messages that are sent to agents at the times of cron expressions.' },
  { name: 'apps', description: 'The applications that there are.' },
  { name: 'agents', description: 'Agents that the account makes, each an application of its own.' },
  { name: 'chat', description: 'Sessions and runs in the form of apowerb’s UI.' },
  { name: 'notifications', description: 'Runs in the background, and runs that mail started, that have ended.' },
  { name: 'changes', description: 'What changes in an account, for programs that show it.' },
  { name: 'artifacts', description: 'Named, versioned payloads of a session, or of its user (`user:` names).' },
  { name: 'memory', description: 'What past sessions of a user have said, found by search.' },
  { name: 'audio', description: 'Recorded speech as text.' },
  { name: 'integrations', description: 'Mail accounts that an account has connected.' },
  { name: 'webhooks', description: 'Subscriptions to mailboxes: mail that arrives runs agents.' },
  { name: 'keys', description: 'Saved keys for model providers.' },
  { name: 'usage', description: 'What the account has used of models, and its limits.' },
  {
    name: 'administration',
    description: 'What operators ask: which accounts are slow or expensive, and what holds a run.',
  },
  { name: 'agent identity', description: 'Consent of end users to connectors.' },
  { name: 'operations', description: 'Probes, version and public configuration.' },
];

/** Longest path parameter, in characters. It is no limit of ids: longer ids are refused with 422 by their schema. */
const maxParamLength = 16_384;

/** Times of a body that is read whole. */
const bodyTimes = { idleMs: 30_000, totalMs: 120_000 };
/** Longest time for a body on routes that read their body as it arrives. */
const longestUploadMs = 3_600_000;

/** The HTTP server, ready to listen. */
export async function createServer(context: Context): Promise<App> {
  const { config, log } = context;
  const upgrades = createUpgrades();
  const app = createApp(config, upgrades);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler({ log, bodyLimit: config.GATEWAY_MAX_BODY_BYTES }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  admitRequests(app, context, upgrades);
  closeStalled(app.server);
  limitBodies(app);
  limitBodyTime(app, bodyTimes);
  observe(app, context);
  addBodyParsers(app, context.bodies);
  const closeOtherMethods = createMethodGuard(app);
  await describeApi(app, { serverUrl: publicBaseUrl(config), sections });
  app.decorateRequest('identity');
  app.decorateRequest('arrival', undefined);
  app.addHook('preHandler', context.authentication.withinGrant);
  app.addHook('preHandler', createAgentAppCheck(context.agents));
  for (const addSlice of slices) await addSlice(app, context);
  closeOtherMethods();
  await app.ready();
  return app;
}

function createApp(config: Config, upgrades: Upgrades): App {
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

function admitRequests(app: App, { config, draining }: Context, { isUpgrade }: Upgrades): void {
  const policy = {
    allowed: config.CORS_ALLOWED_ORIGINS,
    publicBaseUrl: publicBaseUrl(config),
    boundTo: config.HOST,
  };
  const redirect = createSlashRedirect(app);
  app.addHook('onRequest', createAdmission({ ...policy, draining, isUpgrade, redirect }));
}
