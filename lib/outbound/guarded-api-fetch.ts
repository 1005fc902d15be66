import type { Dispatcher } from 'undici';
import { Lazy } from '../wait/index.ts';
import type { AddressPolicy } from './address-policy.ts';
import { ask, toRequest, toResponse } from './fetch-forms/index.ts';
import { createGuardedConnector, type ResolveAll } from './guarded-connector.ts';
import { discardBody } from './read-body.ts';

export interface GuardedApiFetchOptions {
  readonly policy: AddressPolicy;
  /** Time for a connection to be made, in milliseconds; 10 s by default. */
  readonly connectTimeoutMs?: number;
  /** Longest silence of a server, before its answer and within it, in milliseconds; 5 minutes by default. */
  readonly silenceMs?: number;
  /** Resolves host names that the policy does not name; by DNS unless a test says otherwise. */
  readonly resolveAll?: ResolveAll;
}

/** A guarded fetch and its connections, which are kept for further calls until it is disposed. */
export interface GuardedApiFetch extends AsyncDisposable {
  readonly fetch: typeof globalThis.fetch;
}

const redirectStatus = new Set([301, 302, 303, 307, 308]);

/**
 * A fetch for API servers that users name: it connects only to addresses of the policy, and follows no redirect: it is an
 * error, or with `redirect: 'manual'` the answer. A refused address fails like one that cannot be reached, with a TypeError.
 * The platform's fetch copies each chunk of an answer twice, and what is copied makes V8 collect its whole heap.
 */
export function createGuardedApiFetch(options: GuardedApiFetchOptions): GuardedApiFetch {
  const client = new Lazy(
    () => openClient(options),
    (dispatcher) => dispatcher.destroy(),
  );
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    try {
      return await call(await client.get(), input, init);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof TypeError ? error : new TypeError('fetch failed', { cause: error });
    }
  };
  return { fetch, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

async function call(dispatcher: Dispatcher, input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const request = await toRequest(input, init);
  const answer = await ask(dispatcher, request);
  const redirect = init.redirect ?? (input instanceof Request ? input.redirect : 'error');
  try {
    if (redirectStatus.has(answer.status) && redirect !== 'manual') throw new Error('The server redirects.');
    return toResponse(request, answer);
  } catch (error) {
    discardBody(answer.body);
    throw new TypeError('fetch failed', { cause: error });
  }
}

/** undici is loaded with the first call: it is a megabyte of code, and most processes call nobody for hours. */
async function openClient({
  policy,
  connectTimeoutMs = 10_000,
  silenceMs = 300_000,
  resolveAll,
}: GuardedApiFetchOptions): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  const connect = await createGuardedConnector(policy, { timeoutMs: connectTimeoutMs, resolveAll });
  return new Agent({ connect, headersTimeout: silenceMs, bodyTimeout: silenceMs, maxHeaderSize: 32_768 });
}
