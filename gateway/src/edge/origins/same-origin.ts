import type { IncomingHttpHeaders } from 'node:http';
import { isSameHost } from './origin.ts';

/**
 * Checks whether an origin is this API's own: the public one, or that of the request's `Host`. Ignores the scheme of the latter,
 * which is unknown behind a proxy that ends TLS.
 */
export function createOwnOrigin(publicBaseUrl: string) {
  const own = new URL(publicBaseUrl).origin;
  return (origin: string, host: string | undefined): boolean => origin === own || isSameHost(origin, host);
}

type IsOwnOrigin = ReturnType<typeof createOwnOrigin>;

/**
 * Whether, by the browser's headers, a page of this origin sent the request. For safe requests the address bar counts too. An
 * unsafe request needs `Origin` or `Sec-Fetch-Site`. A safe one does not, because SameSite keeps the cookie from foreign pages.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, isOwn: IsOwnOrigin, isSafe: boolean): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && !isOwn(origin, host)) return false;
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) return false;
  return isSafe || origin !== undefined || site !== undefined;
}
