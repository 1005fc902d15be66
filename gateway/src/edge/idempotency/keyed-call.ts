import { keyedHeaders } from '@agentmesh/lib/idempotency';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { replayedHeader } from './idempotency-key.ts';

const unary = { timeoutMs: 30_000 } as const;

interface KeyedCall {
  readonly timeoutMs: number;
  readonly headers?: Record<string, string>;
}

/** Options of the call that has the effect of a request. With an `Idempotency-Key` the service does it once. */
export function keyedCall({ headers, method, routeOptions, url, body }: FastifyRequest): KeyedCall {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return unary;
  const route = `${method} ${routeOptions.url ?? ''}`;
  return { ...unary, headers: keyedHeaders({ key, route, content: [url, headers['if-match'] ?? null, body ?? null] }) };
}

/** Marks the answer to a repeated request. */
export function markReplayed(reply: FastifyReply, { already }: { readonly already: boolean }): void {
  if (already) reply.header(replayedHeader, 'true');
}
