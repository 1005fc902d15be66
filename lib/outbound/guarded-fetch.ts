import type { Dispatcher, request } from 'undici';
import { Lazy } from '../wait/index.ts';
import { createAddressPolicy } from './address-policy.ts';
import { createGuardedConnector, type ResolveAll } from './guarded-connector.ts';
import { forAccount } from './names/index.ts';
import { OutboundError } from './outbound-error.ts';
import { discardBody, readBody } from './read-body.ts';

export interface GuardedFetchOptions {
  /** Hosts, IP addresses and CIDRs that may be reached though they are not public. Link-local and metadata never are. */
  readonly allow: readonly string[];
  /** The time for one whole request, redirects and body included, in milliseconds; 20 s by default. */
  readonly timeoutMs?: number;
  /** Resolves host names that `allow` does not name; by DNS unless a test says otherwise. */
  readonly resolveAll?: ResolveAll;
}

export interface GuardedRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Account that the look-ups of names count for. */
  readonly accountId?: string;
  /** Largest part of the body that is read, in bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** At most `maxBodyBytes`; `truncated` tells whether there was more. */
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** GETs an untrusted address. Throws OutboundError, or the reason of `signal` when it aborts. */
export type GuardedFetch = (url: string, options?: GuardedRequest) => Promise<GuardedResponse>;

const maxRedirects = 5;
const redirectStatus = new Set([301, 302, 303, 307, 308]);

/**
 * A fetch for addresses that users and agents give: http and https only, no userinfo, public addresses only, every hop
 * of a redirect asked anew, a deadline and a size limit. Connections are not kept.
 *
 *     const get = createGuardedFetch({ allow: config.RUNS_HTTP_GET_ALLOW });
 *     const { status, body, truncated } = await get(url, { accountId, maxBodyBytes: 64 * 1024, signal });
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { timeoutMs = 20_000 } = options;
  const opened = new Lazy(() => openClient(options, timeoutMs));
  return async (address, { headers = {}, signal, accountId = '', maxBodyBytes = 1_048_576 } = {}) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    try {
      const client = await opened.get();
      const hop = { ...client, headers: { ...headers }, signal: either };
      const response = await forAccount(accountId, () => follow(parseAddress(address), hop));
      return await toGuarded(response, maxBodyBytes);
    } catch (error) {
      signal?.throwIfAborted();
      throw toOutboundError(error, deadline.aborted);
    }
  };
}

/** undici is loaded with the first call, as for `createGuardedApiFetch`. */
async function openClient({ allow, resolveAll }: GuardedFetchOptions, timeoutMs: number) {
  const { Agent, request: send } = await import('undici');
  const connect = await createGuardedConnector(createAddressPolicy(allow), { timeoutMs, resolveAll });
  return { send, dispatcher: new Agent({ connect, maxHeaderSize: 32_768 }) };
}

interface Hop {
  readonly send: typeof request;
  readonly dispatcher: Dispatcher;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

async function follow(start: URL, { send, ...hop }: Hop): Promise<Dispatcher.ResponseData> {
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await send(url, { ...hop, reset: true });
    const location = response.headers['location'];
    if (!redirectStatus.has(response.statusCode) || typeof location !== 'string') return response;
    discardBody(response.body);
    url = parseAddress(location, url);
  }
  throw new OutboundError('too_many_redirects', `The address redirects more than ${maxRedirects} times.`);
}

function parseAddress(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url === null) throw new OutboundError('address_invalid', 'The address is not a URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('address_invalid', 'The address must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('address_invalid', 'The address must not carry a user name or a password.');
  }
  return url;
}

async function toGuarded(response: Dispatcher.ResponseData, maxBodyBytes: number): Promise<GuardedResponse> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return { status: response.statusCode, headers, ...(await readBody(response.body, maxBodyBytes)) };
}

/** Refused and unreachable addresses have the same text, so that it does not reveal which names lead into the private network. */
const notReached = 'The address cannot or may not be reached from here.';

function toOutboundError(error: unknown, late: boolean): OutboundError {
  if (error instanceof OutboundError && error.reason === 'address_refused') {
    return new OutboundError('address_refused', notReached, { cause: error });
  }
  if (error instanceof OutboundError) return error;
  if (late) return new OutboundError('timeout', 'The address did not answer in time.', { cause: error });
  return new OutboundError('unreachable', notReached, { cause: error });
}
