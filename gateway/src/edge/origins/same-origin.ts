import type { IncomingHttpHeaders } from 'node:http';
import { isSameHost } from './origin.ts';

/**
 * Whether an origin is this API's own: the public one, or that of the address the request was sent to. Of the latter the scheme
 * is not looked at: behind a proxy that ends TLS nobody here knows it.
 */
export function createOwnOrigin(publicBaseUrl: string) {
  const own = new URL(publicBaseUrl).origin;
  return (origin: string, host: string | undefined): boolean => origin === own || isSameHost(origin, host);
}

type IsOwnOrigin = ReturnType<typeof createOwnOrigin>;

/**
 * Whether the browser says that a page of this origin, or for safe requests the address bar, sent the request. What changes
 * something needs the word of the browser; what does not is good without, as SameSite keeps the cookie from foreign pages.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, isOwn: IsOwnOrigin, isSafe: boolean): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && !isOwn(origin, host)) return false;
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) return false;
  return isSafe || origin !== undefined || site !== undefined;
}
