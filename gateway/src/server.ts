import { publicBaseUrl } from './config.ts';
import { createApp } from './create-app.ts';
import { createAgentAppCheck } from './edge/authentication/agent-apps.ts';
import type { App, Context } from './context.ts';
import { errorHandler } from './edge/errors/problem.ts';
import { createAdmission } from './edge/http/admit.ts';
import { addBodyParsers } from './edge/bodies/body-parsers.ts';
import { limitBodies } from './edge/bodies/body-limits.ts';
import { limitBodyTime } from './edge/bodies/body-time.ts';
import { closeStalled } from './edge/http/close-stalled.ts';
import { answerUnrouted, createMethodGuard } from './edge/http/method-guard.ts';
import { observe } from './edge/http/observe.ts';
import { createSlashRedirect } from './edge/http/slash-redirect.ts';
import { createUpgrades, type Upgrades } from './edge/http/upgrades.ts';
import { validatorCompiler } from './edge/http/validator.ts';
import { describeApi } from './edge/openapi/describe-api.ts';
import { sections, slices } from './slices.ts';

/** Times of a body that is read whole. */
const bodyTimes = { idleMs: 30_000, totalMs: 120_000 };

/** The HTTP server, ready to listen. */
export async function createServer(context: Context): Promise<App> {
  const { config, log } = context;
  const upgrades = createUpgrades();
  const app = createApp(config, upgrades);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler({ log, bodyLimit: config.GATEWAY_MAX_BODY_BYTES }));
  app.setNotFoundHandler(answerUnrouted);
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

function admitRequests(app: App, { config, draining }: Context, { isUpgrade }: Upgrades): void {
  const policy = {
    allowed: config.CORS_ALLOWED_ORIGINS,
    publicBaseUrl: publicBaseUrl(config),
    boundTo: config.HOST,
  };
  const redirect = createSlashRedirect(app);
  app.addHook('onRequest', createAdmission({ ...policy, draining, isUpgrade, redirect }));
}
