import { defineService, type Host, isShortKey, listenOn, type Running } from '@agentmesh/lib/service';
import { createClients } from './clients.ts';
import { type Config, settings } from './config.ts';
import type { App, Context } from './context.ts';
import { createArrivingRuns } from './edge/arrivals/arriving-runs.ts';
import { createBodyBudget } from './edge/bodies/body-budget.ts';
import { createPaces } from './edge/pace.ts';
import type { BodyBudgets } from './edge/bodies/receive-body.ts';
import {
  createAnswerLimit,
  createDeviceLimit,
  createExportLimit,
  createMailLimit,
  createSignUpLimit,
} from './edge/throttle/address-limit.ts';
import { createSignIn } from './edge/throttle/sign-in.ts';
import { openThrottle } from './edge/throttle/throttle.ts';
import { dependencyChecks } from './operations/index.ts';
import { openCredentials } from './open-credentials.ts';
import { createServer } from './server.ts';

type GatewayHost = Host<typeof settings>;

/** The edge: REST and SSE outside, RPC inside. It stores nothing. */
export const gateway = defineService({
  name: 'gateway',
  calls: ['artifacts', 'auth', 'keys', 'memory', 'runs', 'sessions', 'transcription', 'webhooks'],
  settings,
  weaknesses: weaknessesOf,
  start,
});

async function start(host: GatewayHost): Promise<Running> {
  for (const weakness of weaknessesOf(host.config)) host.log.warn(weakness);
  const { config, log, metrics, mesh, draining, resources } = host;
  const clients = createClients(mesh);
  const { auth } = clients;
  const credentials = await openCredentials(host, clients);
  const throttle = await openThrottle({ redisUrl: config.REDIS_URL, log, resources });
  const leaving = new AbortController();
  const context: Context = {
    config,
    log,
    metrics,
    bus: host.bus,
    draining,
    leaving: leaving.signal,
    ...clients,
    ...credentials,
    bodies: bodyBudgetsOf(config),
    arriving: createArrivingRuns(config.GATEWAY_MAX_ARRIVING_RUNS),
    signIn: createSignIn({ auth, config, throttle, log }),
    limitMail: createMailLimit(config, throttle),
    limitSignUp: createSignUpLimit(config, throttle),
    limitAnswers: createAnswerLimit(config, throttle),
    limitDevices: createDeviceLimit(config, throttle),
    limitExports: createExportLimit(config, throttle),
  };
  const app = await createServer(context);
  resources.defer(() => closeNow(app));
  const listener = { host: config.HOST, port: config.PORT };
  const address = await listenOn({ ...listener, portSetting: 'PORT' }, () => app.listen({ ...listener, backlog }));
  return { address, ...dependencyChecks(context), drain: (leftMs) => drain(app, leaving, leftMs) };
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

function weaknessesOf(config: Config): string[] {
  const found: string[] = [];
  if (isShortKey(config.ENCRYPT_KEY)) {
    found.push('ENCRYPT_KEY is shorter than 32 bytes: whoever guesses it can forge tokens. Use a long random text.');
  }
  if (config.RUNTIME_AUTH === 'open') {
    found.push('RUNTIME_AUTH is open: requests without a token share one anonymous account for sessions and runs.');
  }
  if (config.ADK_TRIGGER_SOURCES.length > 0 && config.ADK_TRIGGER_ACCOUNTS.length === 0) {
    found.push('ADK_TRIGGER_ACCOUNTS is empty: every push to a trigger is refused.');
  }
  return found;
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
