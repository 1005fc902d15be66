import { createBoundedFetch, forAccount } from '@agentmesh/lib/outbound';
import { activeTraceparent } from '@agentmesh/lib/telemetry';
import type { Endpoint } from '../endpoint.ts';

/**
 * A fetch for model providers. Redirects are not followed: they would carry the key to another server. Answers have the bounds of `createBoundedFetch`; where
 * the request asks for a stream, the answer is read line by line, so it is bounded like one whatever it says of itself.
 */
export function createVendorFetch(endpoint: Pick<Endpoint, 'fetch' | 'accountId' | 'step'>): typeof globalThis.fetch {
  const { fetch = globalThis.fetch, accountId = '', step } = endpoint;
  const bounded = createBoundedFetch((input, init) => fetch(input, { ...init, redirect: 'manual' }), {
    step,
    boundsOf: (init, input) => ({ isEvents: asksForStream(init?.body, input) }),
  });
  return (input, init) => forAccount(accountId, () => bounded(input, traced(init)));
}

/** With an exporter, the provider, or a proxy before it, is told the trace that the call belongs to. */
function traced(init: RequestInit | undefined): RequestInit | undefined {
  const traceparent = activeTraceparent();
  if (traceparent === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('traceparent', traceparent);
  return { ...init, headers };
}

/** In texts of a conversation the quotes are escaped. */
function asksForStream(body: unknown, input: Parameters<typeof fetch>[0]): boolean {
  const url = input instanceof Request ? input.url : String(input);
  return (typeof body === 'string' && body.includes('"stream":true')) || url.includes(':streamGenerateContent');
}
