import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Collects the paths of all routes; the answered function sends a request that has a slash too many or too few at its end to
 * the route that it means, with 307, and says whether it did. Call it for paths that no route serves. The address it names
 * is a path of this server, whatever Host says.
 */
export function createSlashRedirect(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const served: RegExp[] = [];
  app.addHook('onRoute', ({ url }) => {
    if (!url.includes('*')) served.push(patternOf(url));
  });
  return (request, reply) => {
    const [path = '', ...query] = request.url.split('?');
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    // What begins with two slashes, of either kind, is an address of another host to a browser.
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
