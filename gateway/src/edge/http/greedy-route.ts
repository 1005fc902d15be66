import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Number of path segments before a name that may contain slashes: 2 for `/a/b/*`. */
    greedyAfter?: number;
  }
}

/** Part of a request's path whose segments must not contain `%2F`. */
export function segmentsOf({ url, routeOptions }: FastifyRequest): string {
  const path = pathOf(url);
  const after = routeOptions.config.greedyAfter;
  return after === undefined ? path : path.split('/', after + 1).join('/');
}

/** Decoded name behind these segments. Decoding cannot fail, since the router has decoded the path already. */
export function greedyName({ url, routeOptions }: FastifyRequest): string {
  const segments = pathOf(url)
    .split('/')
    .slice((routeOptions.config.greedyAfter ?? 0) + 1);
  return decodeURIComponent(segments.join('/'));
}

/** Path without query and fragment. Clients should send no `#`, but some do, and the router cuts there. */
function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}
