import { KeyTestOutcome } from '@agentmesh/proto/keys/v1/saved_keys';
import type { VendorName } from './provider-of.ts';

/** Target and key of a test call. */
export interface TestCall {
  readonly provider: VendorName;
  /** Base address in the form of the settings: it ends in `/v1` for openai, and has no version for the others. */
  readonly baseUrl: string;
  readonly secret: string;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

interface ListModels {
  readonly path: string;
  readonly headers: (secret: string) => Record<string, string>;
}

/** Listing one model costs nothing, and every provider checks the key for it. */
const lists: Readonly<Record<VendorName, ListModels>> = {
  openai: { path: '/models', headers: (secret) => ({ authorization: `Bearer ${secret}` }) },
  anthropic: {
    path: '/v1/models?limit=1',
    headers: (secret) => ({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' }),
  },
  gemini: { path: '/v1beta/models?pageSize=1', headers: (secret) => ({ 'x-goog-api-key': secret }) },
};

const timeoutMs = 10_000;

/** Calls the provider once, and tells its status and how long it took. Its answer is not read. Rejects only when `signal` aborts. */
export async function callProvider({ provider, baseUrl, secret, fetch, signal }: TestCall) {
  const { path, headers } = lists[provider];
  const startedAt = performance.now();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const url = `${withoutVersion(provider, baseUrl)}${path}`;
  let status = 0;
  try {
    const response = await fetch(url, { headers: headers(secret), redirect: 'error', signal: limited });
    status = response.status;
    await response.body?.cancel();
  } catch {
    // The error may hold the request with the key, so it is neither logged nor passed on.
    signal.throwIfAborted();
  }
  return { outcome: outcomeOf(status), httpStatus: status, latencyMs: Math.round(performance.now() - startedAt) };
}

/** Bases of Anthropic and Gemini are often given with their version. */
function withoutVersion(provider: VendorName, baseUrl: string): string {
  return provider === 'openai' ? baseUrl : baseUrl.replace(/\/v1(?:beta)?$/, '');
}

/** Google answers a wrong key with 400. */
function outcomeOf(status: number): KeyTestOutcome {
  if (status === 0) return KeyTestOutcome.UNREACHABLE;
  if (status < 300) return KeyTestOutcome.ACCEPTED;
  if (status === 429) return KeyTestOutcome.LIMITED;
  return [400, 401, 403].includes(status) ? KeyTestOutcome.REFUSED : KeyTestOutcome.FAILED;
}
