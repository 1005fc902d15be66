import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { HttpError } from '../../edge/errors/request-error.ts';
import { isSameHost, type OriginPolicy } from '../../edge/origins/origin.ts';

/**
 * For routes that a cookie alone opens: refuses what a browser sends for a page of another site, by `Origin`, or by
 * `Sec-Fetch-Site` where a browser sends no `Origin`. Origins that are configured by name may; `*` names none. Clients that are no
 * browsers send neither header and are left alone.
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
