import {
  accountHash,
  type Logger,
  logAccess,
  type Metrics,
  newSpent,
  requestContext,
  type Series,
  type Spent,
  startServerSpan,
  type WorkSpan,
} from '@agentmesh/lib/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined unless tracing is on. */
    span: WorkSpan | undefined;
    /** Time that its work has taken so far; undefined until its body is read. */
    spent: Spent | undefined;
  }
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

interface Observation {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly config: { readonly GATEWAY_ACCESS_SAMPLE: number };
}

/** Runs each request in its request context. Counts, times and logs it after its answer was sent. */
export function observe(app: FastifyInstance, { log, metrics, config }: Observation): void {
  const logRequest = requestLog(log, config.GATEWAY_ACCESS_SAMPLE);
  const record = recorderOf(createDurations(metrics));
  // The durations have a series for each route and status, and Prometheus sees no increase in the first sample of one: an alert divides the increases of these.
  const requests = metrics.counter({
    name: 'agentmesh_gateway_requests_total',
    help: 'Requests that were answered.',
  });
  const failures = metrics.counter({
    name: 'agentmesh_gateway_failed_requests_total',
    help: 'Requests that were answered 5xx.',
  });
  app.decorateRequest('span', undefined);
  app.decorateRequest('spent', undefined);

  // Not earlier than preValidation: reading the body runs on socket events, which lose an AsyncLocalStorage context.
  app.addHook('preValidation', (request, _reply, done) => {
    const incoming = incomingTrace(request);
    const span = startSpan(request, incoming);
    request.span = span;
    const trace = span?.traceparent ?? incoming;
    const spent = newSpent('gateway');
    request.spent = spent;
    const context = { requestId: request.id, ...(trace === undefined ? {} : { traceparent: trace }), spent };
    requestContext.run(context, () => (span === undefined ? done() : span.run(done)));
  });

  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.raw.statusCode;
    record({ method: request.method, route: routeOf(request), status }, reply.elapsedTime / 1000);
    requests.inc();
    if (status >= 500) failures.inc();
    endSpan(request, status);
    logRequest(request, reply);
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
    name: 'agentmesh_gateway_request_duration_seconds',
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

/** Keeps the series of each combination of labels: finding it costs more than the observation. There are few combinations. */
function recorderOf(durations: Durations): (answered: Answered, seconds: number) => void {
  const known = new Map<string, Series>();
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

/**
 * Returns what logs a line for each request that failed or was slow; of the others for a part of `sample`, and for all with `LOG_LEVEL=access`. The line names the account by its
 * id, and has nothing that a client wrote.
 */
function requestLog(log: Logger, sample: number): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const level = levelOf(reply);
    const isSampled = level === 'access' && sample > 0 && Math.random() < sample;
    if (isSampled) log.info(lineOf(request, reply), 'request');
    else if (!log.isLevelEnabled(level)) return;
    else if (level === 'access') logAccess(log, lineOf(request, reply), 'request');
    else log[level](lineOf(request, reply), 'request');
  };
}

function lineOf(request: FastifyRequest, reply: FastifyReply): object {
  const { statusCode: status } = reply.raw;
  const ms = tenths(reply.elapsedTime);
  const trace = (request.span?.traceparent ?? incomingTrace(request))?.split('-')[1];
  // Requests that were refused before they had an identity have none, although the type says so.
  const accountId = (request as Partial<FastifyRequest>).identity?.accountId;
  const line = { requestId: request.id, method: request.method, route: routeOf(request), status, ms };
  return {
    ...line,
    ...(request.spent !== undefined && { parts: partsOf(reply.elapsedTime, request.spent) }),
    ...(accountId !== undefined && { accountId }),
    ...(trace !== undefined && { trace }),
  };
}

/** Milliseconds of a request by part: databases and models of all services, the rest of the calls, and the rest. Work at the same time counts each time, so that the sum may be more than the whole. */
function partsOf(ms: number, { calls, database, model }: Spent) {
  return {
    own: tenths(Math.max(0, ms - calls)),
    rpc: tenths(Math.max(0, calls - database - model)),
    database: tenths(database),
    model: tenths(model),
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
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
