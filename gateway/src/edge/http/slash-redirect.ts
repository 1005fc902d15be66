import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Learns the paths of all routes. The returned function is for requests that no route serves: it redirects with 307 to the same
 * path with or without a slash at its end, if a route serves that one, and returns whether it did. `Location` is a path on this
 * server and does not depend on `Host`. A DELETE of one entry with an empty id is not led to the route that deletes all of them.
 */
export function createSlashRedirect(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const served: RegExp[] = [];
  const deletes = new Set<string>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (url.includes('*')) return;
    served.push(patternOf(url));
    if ([method].flat().includes('DELETE') && config?.refusesMethods !== true) deletes.add(nameless(url));
  });
  const deletesAll = (path: string): boolean =>
    Array.from(deletes).some((url) => deletes.has(`${url}/:`) && patternOf(url).test(path));
  return (request, reply) => {
    const [path = '', ...query] = request.url.split('?');
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    // Browsers take `//host` and `/\host` for another host.
    if (other === '' || /^\/[/\\]/.test(other) || /%2f/i.test(other)) return false;
    if (!served.some((pattern) => pattern.test(other))) return false;
    // Its last segment is the id of one entry, which is empty.
    if (request.method === 'DELETE' && deletesAll(other)) return false;
    reply
      .code(307)
      .header('location', [other, ...query].join('?'))
      .send();
    return true;
  };
}

/** A path without the names of its parameters: `/a/:` of `/a/:id`. */
function nameless(url: string): string {
  return url.replace(/:[^/]+/g, ':');
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)));
  return new RegExp(`^${segments.join('/')}$`);
}
