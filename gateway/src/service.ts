import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { defineService, type Host, isShortKey, listenOn, type Running, startJob } from '@agentmesh/lib/service';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { TranscriptionService } from '@agentmesh/proto/transcription/v1';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { type Config, publicBaseUrl, settings } from './config.ts';
import type { App, Context } from './context.ts';
import { createArrivingRuns } from './edge/arrivals/arriving-runs.ts';
import { createTokenReader } from './edge/authentication/access-token.ts';
import { createAccountChanges } from './edge/authentication/account-changes.ts';
import { type Authentication, createAuthentication } from './edge/authentication/authenticate.ts';
import { createBearer } from './edge/authentication/bearer.ts';
import { createBodyBudget } from './edge/bodies/body-budget.ts';
import { createPaces } from './edge/pace.ts';
import type { BodyBudgets } from './edge/bodies/receive-body.ts';
import { createRunTickets } from './edge/authentication/tickets/run-tickets.ts';
import { type BrowserSession, createBrowserSession } from './edge/authentication/browser-session.ts';
import type { Directory } from './edge/authentication/directory.ts';
import { createFollowChanges, hearChanges } from './edge/authentication/follow-changes.ts';
import { createPersonalTokens } from './edge/authentication/personal-tokens.ts';
import { createStandings, type Standing } from './edge/authentication/standings.ts';
import {
  createAnswerLimit,
  createDeviceLimit,
  createMailLimit,
  createSignUpLimit,
} from './edge/throttle/address-limit.ts';
import { createSignIn } from './edge/throttle/sign-in.ts';
import { createAccountLimit } from './edge/throttle/account-limit.ts';
import { openThrottle } from './edge/throttle/throttle.ts';
import { dependencyChecks } from './operations/index.ts';
import { createServer } from './server.ts';

type GatewayHost = Host<typeof settings>;

/** The edge: REST and SSE outside, RPC inside. It stores nothing. */
export const gateway = defineService({ name: 'gateway', settings, start });

async function start(host: GatewayHost): Promise<Running> {
  warnOfWeakness(host);
  const { config, log, metrics, mesh, draining, resources } = host;
  const auth = mesh.client(AuthService);
  const changes = createAccountChanges();
  const standings = createStandings(auth, changes);
  const personalTokens = createPersonalTokens(auth, changes);
  const isIdle = (): boolean => standings.isEmpty && personalTokens.isEmpty;
  resources.defer(await hearChanges(host.bus, changes));
  resources.use(startJob(createFollowChanges({ changes, isIdle, auth }), host));

  const bearer = createBearer({ tokens: await createTokenReader(config.ENCRYPT_KEY), standings, personalTokens });
  const browser = await browserSessionOf(host, standings);
  const runTickets = await createRunTickets({ encryptKey: config.ENCRYPT_KEY, standings });
  const throttle = await openThrottle({ redisUrl: config.REDIS_URL, log, resources });
  const leaving = new AbortController();
  const context: Context = {
    config,
    log,
    metrics,
    bus: host.bus,
    draining,
    leaving: leaving.signal,
    auth,
    ...clientsOf(mesh),
    authentication: authenticationOf(config, { bearer, browser, runTickets }),
    browser,
    runTickets,
    bodies: bodyBudgetsOf(config),
    arriving: createArrivingRuns(config.GATEWAY_MAX_ARRIVING_RUNS),
    forgetAccount: (accountId) => changes.note(accountId),
    signIn: createSignIn({ auth, config, throttle, log }),
    limitMail: createMailLimit(config, throttle),
    limitSignUp: createSignUpLimit(config, throttle),
    limitAnswers: createAnswerLimit(config, throttle),
    limitDevices: createDeviceLimit(config, throttle),
  };
  const app = await createServer(context);
  resources.defer(() => closeNow(app));
  const listener = { host: config.HOST, port: config.PORT };
  const address = await listenOn({ ...listener, portSetting: 'PORT' }, () => app.listen({ ...listener, backlog }));
  return { address, ...dependencyChecks(context), drain: (leftMs) => drain(app, leaving, leftMs) };
}

/** The services that routes call, beside auth. */
function clientsOf(mesh: GatewayHost['mesh']) {
  return {
    sessions: mesh.client(SessionsService),
    runs: mesh.client(RunsService),
    agents: mesh.client(AgentsService),
    notices: mesh.client(NoticesService),
    memory: mesh.client(MemoryService),
    artifacts: mesh.client(ArtifactsService),
    transcription: mesh.client(TranscriptionService),
    keys: mesh.client(KeysService),
    integrations: mesh.client(IntegrationsService),
    modelUse: mesh.client(ModelUseService),
    savedKeys: mesh.client(SavedKeysService),
    subscriptions: mesh.client(SubscriptionsService),
    notifications: mesh.client(NotificationsService),
    runWebhooks: mesh.client(RunWebhooksService),
    schedules: mesh.client(SchedulesService),
    webhookLogs: mesh.client(LogsService),
  };
}

/**
 * Connections that wait to be accepted; the system's limit (on Linux `net.core.somaxconn`) binds too. With Node's 511 a crowd of one account makes the connections
 * of others try again after a second.
 */
const backlog = 65_535;
/** Room for bodies of up to 64 KiB: five hundred of the largest at once. */
const smallBodiesBytes = 32 * 1024 * 1024;
/** How fast large bodies of one account are read, so that they take little time from others. A few of the largest may come at once. */
const largeBodies = { bytesPerSecond: 8 * 1024 * 1024, burstBytes: 64 * 1024 * 1024 };

function bodyBudgetsOf({ GATEWAY_MAX_BODIES_BYTES, GATEWAY_MAX_BODY_BYTES }: Config): BodyBudgets {
  const largest = Math.max(GATEWAY_MAX_BODIES_BYTES, GATEWAY_MAX_BODY_BYTES);
  return {
    small: createBodyBudget(smallBodiesBytes),
    large: createBodyBudget(largest),
    paceOf: createPaces(largeBodies),
  };
}

async function browserSessionOf(
  { config }: GatewayHost,
  standings: Directory<Standing>,
): Promise<BrowserSession | undefined> {
  if (!config.ADK_WEB_UI && !config.CONSOLE) return undefined;
  return createBrowserSession({ encryptKey: config.ENCRYPT_KEY, publicBaseUrl: publicBaseUrl(config), standings });
}

function warnOfWeakness({ config, log }: GatewayHost): void {
  if (isShortKey(config.ENCRYPT_KEY)) {
    log.warn('ENCRYPT_KEY is shorter than 32 bytes: whoever guesses it can forge tokens. Use a long random text.');
  }
  if (config.RUNTIME_AUTH === 'open') {
    log.warn('RUNTIME_AUTH is open: requests without a token share one anonymous account for sessions and runs.');
  }
}

/** Time in milliseconds of the drain that is left when streams are told where to go on. */
const partingMs = 1_000;

/** Stops accepting connections and waits for open requests. Closes connections that become idle meanwhile. */
async function drain(app: App, leaving: AbortController, leftMs: number): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 100);
  const parting = setTimeout(() => leaving.abort(), Math.max(leftMs - partingMs, 0));
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(parting);
  }
}

async function closeNow(app: App): Promise<void> {
  app.server.closeAllConnections();
  for (const socket of app.websocketServer.clients) socket.terminate();
  await app.close();
}

function authenticationOf(
  config: Context['config'],
  sources: Pick<Parameters<typeof createAuthentication>[0], 'bearer' | 'browser' | 'runTickets'>,
): Authentication {
  const isRuntimeOpen = config.RUNTIME_AUTH === 'open';
  return createAuthentication({ ...sources, isRuntimeOpen, limit: createAccountLimit(config) });
}
