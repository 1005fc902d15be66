import type { FastifyInstance, FastifyServerOptions } from 'fastify';

const appPrefix = '/apps/:app_name/';

export interface DefaultAppPaths {
  /** Option of the server that rewrites addresses. Empty without a default application. */
  readonly options: Pick<FastifyServerOptions, 'rewriteUrl'>;
  /** Learns from each route below `/apps/:app_name/` which paths to rewrite. Call it before the first route. */
  readonly learnRoutes: (app: FastifyInstance) => void;
}

/** Serves paths that name no application as those of the default one: `/users/u/sessions` as `/apps/<default>/users/u/sessions`. */
export function createDefaultAppPaths(defaultApp: string | undefined): DefaultAppPaths {
  if (defaultApp === undefined) return { options: {}, learnRoutes: () => {} };
  const prefix = `/apps/${encodeURIComponent(defaultApp)}`;
  const heads = new Set<string>();
  return {
    options: { rewriteUrl: ({ url = '/' }) => (heads.has(headOf(url)) ? prefix + url : url) },
    learnRoutes: (app) => {
      app.addHook('onRoute', ({ url }) => {
        if (url.startsWith(appPrefix)) heads.add(headOf(url.slice(appPrefix.length - 1)));
      });
    },
  };
}

/** First segment of a path, with its slash if more follows: `/users/` of `/users/u?limit=1`, `/app-info` of `/app-info?x=1`. */
function headOf(url: string): string {
  return /^\/[^/?]*\/?/.exec(url)?.[0] ?? '';
}
