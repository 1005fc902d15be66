import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { createHostCheck, foreignHost, type HostPolicy } from '../origins/host.ts';
import { createOriginGuard, forbid, type OriginPolicy } from '../origins/origin.ts';
import { normaliseContentType } from './content-type.ts';
import { segmentsOf } from './greedy-route.ts';
import { answerUnrouted } from './method-guard.ts';
import { securityHeaders } from './security-headers.ts';
import type { Upgrades } from './upgrades.ts';

export interface AdmissionOptions extends OriginPolicy, HostPolicy {
  /** Aborts when the process drains: answers then close their connections. */
  readonly draining: AbortSignal;
  readonly isUpgrade: Upgrades['isUpgrade'];
  /** Redirects a path that no route serves, if a slash at its end is missing or superfluous. True if it has answered. */
  readonly redirect: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

/** First hook of every request: sets common headers, then refuses requests that can be judged without a body. */
export function createAdmission({ draining, isUpgrade, redirect, ...policy }: AdmissionOptions) {
  const isAnswered = createOriginGuard(policy);
  const isOwnHost = createHostCheck(policy);
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    // Records of accounts: neither browsers nor proxies may keep them.
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
    if (draining.aborted) reply.header('connection', 'close');
    if (namesNoHost(request)) return void reply.code(400).send({ detail: 'The request names no host.' });
    // A refused WebSocket is closed with a code by its own route.
    if (isUpgrade(request.raw)) return done();
    if (!isOwnHost(request.headers.host)) return void forbid(reply, foreignHost);
    if (isAnswered(request, reply)) return;
    if (request.is404 || hasHiddenSlash(segmentsOf(request)) || hasEmptySegment(request.params)) {
      if (redirect(request, reply)) return;
      return answerUnrouted(request, reply);
    }
    normaliseContentType(request.raw.headers);
    done();
  };
}

/** Every request needs a `Host`, except in HTTP/1.0. */
function namesNoHost({ headers, raw }: FastifyRequest): boolean {
  return headers.host === undefined && raw.httpVersion !== '1.0';
}

/** True for a path with `%2F`: it does not separate segments, and no segment may contain a slash. */
function hasHiddenSlash(segments: string): boolean {
  return segments.includes('%') && /%2f/i.test(segments);
}

/** True for a path with an empty id. */
function hasEmptySegment(params: unknown): boolean {
  const named = params as Readonly<Record<string, unknown>> | undefined;
  for (const name in named) if (named[name] === '' && name !== '*') return true;
  return false;
}
