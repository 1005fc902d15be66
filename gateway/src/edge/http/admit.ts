import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { createHostCheck, foreignHost, type HostPolicy } from '../origins/host.ts';
import { createOriginGuard, forbid, type OriginPolicy } from '../origins/origin.ts';
import { normaliseContentType } from './body-parsers.ts';
import { segmentsOf } from './greedy-route.ts';
import { securityHeaders } from './security-headers.ts';
import type { Upgrades } from './upgrades.ts';

export interface AdmissionOptions extends OriginPolicy, HostPolicy {
  /** Aborts when connections should no longer be kept. */
  readonly draining: AbortSignal;
  readonly isUpgrade: Upgrades['isUpgrade'];
  /** Whether a path that no route serves was sent to the one it means. */
  readonly redirect: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

/** The first thing that happens to a request: headers that every answer carries, then what needs no body to be refused. */
export function createAdmission({ draining, isUpgrade, redirect, ...policy }: AdmissionOptions) {
  const isAnswered = createOriginGuard(policy);
  const isOwnHost = createHostCheck(policy);
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    if (draining.aborted) reply.header('connection', 'close');
    if (namesNoHost(request)) return void reply.code(400).send({ detail: 'The request names no host.' });
    // A refused WebSocket is closed with a code by its own route.
    if (isUpgrade(request.raw)) return done();
    if (!isOwnHost(request.headers.host)) return void forbid(reply, foreignHost);
    if (isAnswered(request, reply)) return;
    if (request.is404 || hasHiddenSlash(segmentsOf(request)) || hasEmptySegment(request.params)) {
      if (redirect(request, reply)) return;
      reply.code(404).send({ detail: 'Not Found' });
      return;
    }
    normaliseContentType(request.raw.headers);
    done();
  };
}

/** From HTTP/1.1 on every request has to. */
function namesNoHost({ headers, raw }: FastifyRequest): boolean {
  return headers.host === undefined && raw.httpVersion !== '1.0';
}

/** `%2F` in a path never separates segments, and no segment of a route may hold a slash. */
function hasHiddenSlash(segments: string): boolean {
  return segments.includes('%') && /%2f/i.test(segments);
}

/** An id in a path is at least one character. */
function hasEmptySegment(params: unknown): boolean {
  return Object.entries(params ?? {}).some(([name, value]) => name !== '*' && value === '');
}
