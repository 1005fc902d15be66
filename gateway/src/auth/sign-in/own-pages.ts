import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { HttpError } from '../../edge/errors/request-error.ts';
import { isSameHost, type OriginPolicy } from '../../edge/origins/origin.ts';

/**
 * Guard of routes that a cookie alone opens. Refuses requests that a browser sends for a page of another site, by `Origin`, or by
 * `Sec-Fetch-Site` where there is no `Origin`. Configured origins are allowed, but `*` allows none here. Clients that are no
 * browsers send neither header and pass.
 */
export function createOwnPagesGuard({ allowed, publicBaseUrl }: OriginPolicy) {
  const trusted = new Set([...allowed, new URL(publicBaseUrl).origin]);
  return ({ headers }: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { origin, host } = headers;
    const foreign =
      origin === undefined
        ? headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site'
        : !trusted.has(origin.toLowerCase()) && !isSameHost(origin, host);
    if (foreign) done(new HttpError(403, 'Cookies are not accepted from pages of other sites.'));
    else done();
  };
}
