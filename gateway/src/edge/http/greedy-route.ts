import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Segments of the path, from its beginning, that are as everywhere; all behind them is one name, slashes included. */
    greedyAfter?: number;
  }
}

/** The part of a request's path whose segments no hidden slash may cut. */
export function segmentsOf({ url, routeOptions }: FastifyRequest): string {
  const path = pathOf(url);
  const after = routeOptions.config.greedyAfter;
  return after === undefined ? path : path.split('/', after + 1).join('/');
}

/** What stands behind them, decoded. The router has decoded it before, so it can be. */
export function greedyName({ url, routeOptions }: FastifyRequest): string {
  const segments = pathOf(url)
    .split('/')
    .slice((routeOptions.config.greedyAfter ?? 0) + 1);
  return decodeURIComponent(segments.join('/'));
}

/** Up to where the router reads it: no client ought to send a `#`, and some do. */
function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}
