import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Text of the reference's answer to foreign origins. */
export const foreignOrigin = 'Forbidden: origin not allowed';

const methods = 'GET, POST, PUT, PATCH, DELETE';

export interface OriginPolicy {
  /** Origins whose pages may call; `*` allows all. */
  readonly allowed: readonly string[];
  /** Public address of this API. */
  readonly publicBaseUrl: string;
}

/** Checks whether an origin is neither configured nor the request's own. */
export function createForeignCheck({ allowed, publicBaseUrl }: OriginPolicy) {
  const configured = new Set(allowed);
  const own = new URL(publicBaseUrl).origin;
  const isConfigured = (origin: string) => configured.has('*') || configured.has(origin.toLowerCase());
  const isForeign = ({ origin, host }: IncomingHttpHeaders): boolean =>
    origin !== undefined && origin !== own && !isConfigured(origin) && !isSameHost(origin, host);
  return { isConfigured, isForeign };
}

/**
 * Refuses foreign web pages and answers CORS as the reference does: an `Origin` that is neither configured nor the request's own
 * gets 403, a preflight 200 or 400, as plain text. `@fastify/cors` cannot answer so. Returns true if it has replied.
 */
export function createOriginGuard(policy: OriginPolicy) {
  const { isConfigured, isForeign } = createForeignCheck(policy);
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    const { origin } = request.headers;
    if (origin === undefined) return false;
    const known = isConfigured(origin);
    if (policy.allowed.length > 0 && isPreflight(request)) return answerPreflight({ request, reply, origin, known });
    if (known) allow(reply, origin);
    else if (isForeign(request.headers)) return forbid(reply, foreignOrigin);
    return false;
  };
}

/** Headers that scripts of other origins may read. */
const exposed =
  'X-Request-Id, X-Invocation-Id, X-Session-Id, X-Next-Cursor, Link, ETag, Location, Accept-Ranges, Content-Range, ' +
  'Content-Disposition, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate, ' +
  'Idempotency-Replayed';

/** Whether an `Origin` has the host that the request was sent to. */
export function isSameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function allow(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-allow-credentials', 'true');
  reply.header('access-control-expose-headers', exposed);
  reply.header('vary', 'Origin');
}

export function forbid(reply: FastifyReply, why: string): true {
  reply.code(403).type('text/plain; charset=utf-8').send(why);
  return true;
}

interface Preflight {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly origin: string;
  readonly known: boolean;
}

function answerPreflight({ request, reply, origin, known }: Preflight): true {
  reply.type('text/plain; charset=utf-8');
  if (!known) {
    reply.code(400).header('vary', 'Origin').send('Disallowed CORS origin');
    return true;
  }
  const requested = request.headers['access-control-request-headers'];
  allow(reply, origin);
  reply.header('access-control-allow-methods', methods).header('access-control-max-age', '600');
  if (requested !== undefined) reply.header('access-control-allow-headers', requested);
  reply.code(200).send('OK');
  return true;
}
