import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Metrics } from './metrics.ts';
import { profileRoutes } from './profiles.ts';
import { withinDeadline } from '../wait/index.ts';
import { type CheckResults, type Checks, runChecks } from './run-checks.ts';

export interface OpsServerOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Host names that are accepted beside addresses, names without a dot and `localhost`. One that begins with a dot stands for all names under it. */
  hosts?: readonly string[];
  metrics: Metrics;
  /** Dependencies of the process, by name; checked at each `/readyz`. */
  checks: Checks;
  /** The checks that the process cannot work without: its own resources. Absent: all. */
  own?: Checks;
  /** Checks of dependencies that only some of its work needs: they keep the process from its first work for a while, and no longer. */
  optional?: Checks;
  /** Waiting work by service, shown by `/readyz`. */
  backlog?: () => Promise<object | undefined>;
  /** True: `/debug/heap` and `/debug/cpu` answer. Their answers hold secrets of the process. */
  profiles?: boolean;
  /** How long `optional` keeps the process from its first work, in milliseconds. */
  optionalWaitMs?: number;
}

/** Handlers of GET by path. */
type Routes = Readonly<Record<string, (response: ServerResponse, query: URLSearchParams) => Promise<void>>>;

export interface OpsServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `GET /metrics` (Prometheus text), `/livez` (the process answers), `/readyz` (200, or 503 naming each dependency that
 * fails or takes longer than 2 s; and what waits, if it can be told) and `/readyz/own` for load balancers: like `/readyz` until that was 200 once, for `optionalWaitMs` at
 * most with the checks of `optional`; later only the checks of `own`, so that one failed dependency does not take every process out of service.
 * With `profiles` also `/debug/heap` and `/debug/cpu`.
 * For operators: bind it where the public cannot reach it. It answers 403 to host names that somebody may have registered, because a web page can make
 * such a name lead here. Rejects when the port is taken.
 */
export async function startOpsServer({
  host,
  port,
  hosts = [],
  metrics,
  checks,
  own = checks,
  optional = {},
  backlog = () => Promise.resolve(undefined),
  optionalWaitMs = 30_000,
  profiles = false,
}: OpsServerOptions): Promise<OpsServer> {
  const admit = createAdmission({ checks, own, optional, optionalWaitMs });
  const routes: Routes = {
    '/livez': async (response) => sendJson(response, 200, { status: 'ok' }),
    '/readyz': async (response) => {
      const shown = withinDeadline(backlog(), 2_000, () => undefined).catch(() => undefined);
      sendResults(response, await runChecks(checks), await shown);
    },
    '/readyz/own': async (response) => sendResults(response, await admit()),
    '/metrics': async (response) => {
      const text = await metrics.registry.metrics();
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
    },
    ...(profiles && profileRoutes),
  };
  const server = createServer((request, response) => {
    if (isForeign(request.headers.host, hosts)) {
      return sendJson(response, 403, { detail: 'Forbidden: host not allowed' });
    }
    answer(routes, request, response).catch(() => sendJson(response, 500, { detail: 'Internal Server Error' }));
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => close(server),
  };
}

/** Answers whether the process may be put to use, and remembers that it was. */
function createAdmission({
  checks,
  own,
  optional,
  optionalWaitMs,
}: Required<Pick<OpsServerOptions, 'checks' | 'own' | 'optional' | 'optionalWaitMs'>>): () => Promise<CheckResults> {
  const needed = Object.fromEntries(Object.entries(checks).filter(([name]) => !Object.hasOwn(optional, name)));
  const patientUntil = performance.now() + optionalWaitMs;
  let admitted = false;
  const due = (): Checks => (admitted ? own : performance.now() < patientUntil ? checks : needed);
  return async () => {
    const outcome = await runChecks(due());
    admitted ||= outcome.ready;
    return outcome;
  };
}

/** Whether a `Host` is a name that somebody may have registered: one with a dot that is no address, not under `localhost` and not among `hosts`. */
function isForeign(host: string | undefined, hosts: readonly string[]): boolean {
  if (host === undefined) return false;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  if (name === undefined) return true;
  if (!name.includes('.') || name.endsWith('.localhost') || isIP(name) !== 0) return false;
  return !hosts.some((own) => (own.startsWith('.') ? name.endsWith(own) : name === own));
}

async function answer(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) return sendJson(response, 404, { detail: 'Not Found' });
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return sendJson(response, 405, { detail: 'Method Not Allowed' });
  }
  await route(response, new URL(request.url ?? '/', 'http://ops').searchParams);
}

function sendResults(response: ServerResponse, { ready, results }: CheckResults, backlog?: object): void {
  sendJson(response, ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', checks: results, backlog });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
