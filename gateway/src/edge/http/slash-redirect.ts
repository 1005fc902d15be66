import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Learns the paths of all routes. The returned function is for requests that no route serves: it redirects with 307 to the same
 * path with or without a slash at its end, if a route serves that one, and returns whether it did. `Location` is a path on this
 * server and does not depend on `Host`.
 */
export function createSlashRedirect(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const served: RegExp[] = [];
  app.addHook('onRoute', ({ url }) => {
    if (!url.includes('*')) served.push(patternOf(url));
  });
  return (request, reply) => {
    const [path = '', ...query] = request.url.split('?');
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    // Browsers take `//host` and `/\host` for another host.
    if (other === '' || /^\/[/\\]/.test(other) || /%2f/i.test(other)) return false;
    if (!served.some((pattern) => pattern.test(other))) return false;
    reply
      .code(307)
      .header('location', [other, ...query].join('?'))
      .send();
    return true;
  };
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)));
  return new RegExp(`^${segments.join('/')}$`);
}
