import { keyedHeaders } from '@agentmesh/lib/idempotency';
import { CallUntil } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readingFor } from '../streams/reading-for.ts';
import { replayedHeader } from './idempotency-key.ts';

const usualMs = 30_000;

/** Options of a call that has the effect of a request. What has not been stored when the client leaves is dropped. */
export function leavableCall(reply: FastifyReply): CallUntil {
  return new CallUntil(readingFor(reply.raw), { timeoutMs: usualMs });
}

/**
 * Options of the call that has the effect of a request, as `leavableCall` has them. With an `Idempotency-Key` the service has the effect once. A token that is bound to an end user has keys of its own: it does not get the answer to a request that it may not send.
 */
export function keyedCall(request: FastifyRequest, reply: FastifyReply, timeoutMs = usualMs): CallUntil {
  const key = request.headers['idempotency-key'];
  const headers = typeof key === 'string' ? headersOf(request, key) : undefined;
  return new CallUntil(readingFor(reply.raw), { timeoutMs, headers });
}

function headersOf({ headers, method, routeOptions, url, body, identity }: FastifyRequest, key: string) {
  const user = identity.grant?.userId;
  const route = [method, routeOptions.url ?? '', ...(user === undefined ? [] : [user])].join(' ');
  return keyedHeaders({ key, route, content: [url, headers['if-match'] ?? null, body ?? null] });
}

/** Marks the answer to a repeated request. */
export function markReplayed(reply: FastifyReply, { already }: { readonly already: boolean }): void {
  if (already) reply.header(replayedHeader, 'true');
}
