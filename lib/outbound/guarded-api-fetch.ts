import { Lazy } from '../wait/index.ts';
import type { AddressPolicy } from './address-policy.ts';
import { createGuardedConnector, type ResolveAll } from './guarded-connector.ts';

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

/**
 * The platform's fetch for API servers that users name: it connects only to addresses of the policy, and follows no redirect: it is an
 * error, or with `redirect: 'manual'` the answer. A refused
 * address fails like one that cannot be reached, with a TypeError.
 */
export function createGuardedApiFetch(options: GuardedApiFetchOptions): GuardedApiFetch {
  const client = new Lazy(
    () => openClient(options),
    ({ dispatcher }) => dispatcher.destroy(),
  );
  const fetch = async (input: unknown, init: { redirect?: string } = {}): Promise<unknown> => {
    const redirect = init.redirect === 'manual' ? 'manual' : 'error';
    const { send, dispatcher } = await client.get();
    return send(input as string, { ...init, redirect, dispatcher });
  };
  return {
    // undici's own types differ from the platform's, although the platform's fetch is undici.
    fetch: fetch as typeof globalThis.fetch,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** undici is loaded with the first call: it is a megabyte of code, and most processes call nobody for hours. */
async function openClient({
  policy,
  connectTimeoutMs = 10_000,
  silenceMs = 300_000,
  resolveAll,
}: GuardedApiFetchOptions) {
  const { Agent, fetch: send } = await import('undici');
  const connect = await createGuardedConnector(policy, { timeoutMs: connectTimeoutMs, resolveAll });
  const dispatcher = new Agent({ connect, headersTimeout: silenceMs, bodyTimeout: silenceMs, maxHeaderSize: 32_768 });
  return { send, dispatcher };
}
