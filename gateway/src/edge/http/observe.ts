import {
  accountHash,
  type Logger,
  logAccess,
  type Metrics,
  requestContext,
  startServerSpan,
  type WorkSpan,
} from '@agentmesh/lib/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined unless tracing is on. */
    span: WorkSpan | undefined;
  }
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Runs each request in its request context. Counts, times and logs it after its answer was sent. */
export function observe(app: FastifyInstance, { log, metrics }: { log: Logger; metrics: Metrics }): void {
  const record = recorderOf(createDurations(metrics));
  app.decorateRequest('span', undefined);

  // Not earlier than preValidation: reading the body runs on socket events, which lose an AsyncLocalStorage context.
  app.addHook('preValidation', (request, _reply, done) => {
    const incoming = incomingTrace(request);
    const span = startSpan(request, incoming);
    request.span = span;
    const trace = span?.traceparent ?? incoming;
    const context = { requestId: request.id, ...(trace === undefined ? {} : { traceparent: trace }) };
    requestContext.run(context, () => (span === undefined ? done() : span.run(done)));
  });

  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.raw.statusCode;
    record({ method: request.method, route: routeOf(request), status }, reply.elapsedTime / 1000);
    endSpan(request, status);
    logRequest(log, request, reply);
    done();
  });
}

/** Probes belong to no trace: an idle mesh makes no spans. */
const probes = new Set(['/livez', '/readyz', '/health']);

function startSpan(request: FastifyRequest, incoming: string | undefined): WorkSpan | undefined {
  const route = routeOf(request);
  if (probes.has(route)) return undefined;
  const attributes = { 'http.request.method': request.method, 'http.route': route, 'url.scheme': request.protocol };
  return startServerSpan({ name: `${request.method} ${route}`, attributes }, incoming);
}

function endSpan(request: FastifyRequest, status: number): void {
  const { span } = request;
  if (span === undefined) return;
  // Requests that were refused before they had an identity have none, although the type says so.
  const accountId = (request as Partial<FastifyRequest>).identity?.accountId;
  span.set({
    'http.response.status_code': status,
    ...(accountId !== undefined && { 'agentmesh.account.hash': accountHash(accountId) }),
  });
  span.end(status >= 500 ? String(status) : undefined);
}

function createDurations(metrics: Metrics) {
  return metrics.histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
  });
}

type Durations = ReturnType<typeof createDurations>;

interface Answered {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

/** Caches each combination of labels: prom-client's hashing costs more than the observation. There are few combinations. */
function recorderOf(durations: Durations): (answered: Answered, seconds: number) => void {
  const known = new Map<string, ReturnType<Durations['labels']>>();
  return ({ method, route, status }, seconds) => {
    const name = `${status} ${method} ${route}`;
    let one = known.get(name);
    if (one === undefined) {
      one = durations.labels({ method, route, status });
      known.set(name, one);
    }
    one.observe(seconds);
  };
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unmatched';
}

function incomingTrace({ headers }: FastifyRequest): string | undefined {
  const given = headers.traceparent;
  return typeof given === 'string' && traceparent.test(given) ? given : undefined;
}

/** Time in milliseconds from which an answer counts as slow. A stream takes as long as what it tells. */
const slowMs = 1_000;

/** A line for each request that failed or was slow; the others with `LOG_LEVEL=access`. It names the account by its id, and has nothing that a client wrote. */
function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const level = levelOf(reply);
  if (!log.isLevelEnabled(level)) return;
  const { statusCode: status } = reply.raw;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const trace = (request.span?.traceparent ?? incomingTrace(request))?.split('-')[1];
  // Requests that were refused before they had an identity have none, although the type says so.
  const accountId = (request as Partial<FastifyRequest>).identity?.accountId;
  const line = { requestId: request.id, method: request.method, route: routeOf(request), status, ms };
  const facts = { ...line, ...(accountId !== undefined && { accountId }), ...(trace !== undefined && { trace }) };
  if (level === 'access') logAccess(log, facts, 'request');
  else log[level](facts, 'request');
}

function levelOf(reply: FastifyReply): 'warn' | 'info' | 'access' {
  const { statusCode } = reply.raw;
  if (statusCode >= 500) return 'warn';
  if (statusCode >= 400) return 'info';
  return reply.elapsedTime >= slowMs && !isStream(reply) ? 'info' : 'access';
}

function isStream({ raw }: FastifyReply): boolean {
  return String(raw.getHeader('content-type')).startsWith('text/event-stream');
}
