import type { Dispatcher } from 'undici';

/** A request of undici and its address. */
export interface ApiRequest {
  readonly url: URL;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal | null;
}

const ownHeaders = { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'agentmesh' };
const ofText = { 'content-type': 'text/plain;charset=UTF-8' };

/**
 * The parameters of a fetch as a request of undici. A body that is no text is read first, so it is not streamed.
 * Throws a TypeError for an address that fetch refuses.
 */
export async function toRequest(input: string | URL | Request, init: RequestInit): Promise<ApiRequest> {
  const { body = null } = init;
  if (!(input instanceof Request) && (body === null || typeof body === 'string')) return toPlain(input, init, body);
  const request = new Request(input, init);
  // The signal of a Request follows that of the caller by a weak reference, and forgets it.
  const signal = init.signal ?? (input instanceof Request ? input.signal : null);
  const { url, method, headers } = request;
  return toPlain(url, { method, headers, signal }, await request.bytes());
}

type Plain = Pick<RequestInit, 'method' | 'headers' | 'signal'>;

function toPlain(
  input: string | URL,
  { method = 'GET', headers, signal = null }: Plain,
  body: ApiRequest['body'],
): ApiRequest {
  const url = new URL(input);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('The address must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The address must not carry a user name or a password.');
  }
  const { host: _, ...given } = Object.fromEntries(new Headers(headers));
  const sent = { ...ownHeaders, ...(typeof body === 'string' && ofText), ...given };
  return { url, method: method.toUpperCase(), headers: sent, body, signal };
}
