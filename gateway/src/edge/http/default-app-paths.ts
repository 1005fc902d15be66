import type { FastifyServerOptions } from 'fastify';

const withoutApp = /^\/(?:users\/|app-info(?:\?|$))/;

/** Where a default application is set, paths that name none are those of that one. */
export function defaultAppPaths(defaultApp: string | undefined): Pick<FastifyServerOptions, 'rewriteUrl'> {
  if (defaultApp === undefined) return {};
  const prefix = `/apps/${encodeURIComponent(defaultApp)}`;
  return { rewriteUrl: ({ url = '/' }) => (withoutApp.test(url) ? prefix + url : url) };
}
