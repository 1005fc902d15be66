import { readAnswer as readBytes } from '@agentmesh/lib/outbound';
import type { Lazy } from '@agentmesh/lib/wait';
import type { Agent, fetch, Response } from 'undici';
import { ProviderError } from './provider-error.ts';

/** A request to a mail provider. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path after the provider's address, with its query, e.g. `/v1.0/subscriptions`; or a link that the provider gave. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Most bytes of the answer. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Time limit in milliseconds for the whole answer. Default 20,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** An answer of a mail provider, whatever its status. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly bytes: Buffer;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
}

/** Connections to a provider, and the fetch that uses them. */
export interface Connections {
  readonly fetch: typeof fetch;
  readonly dispatcher: Agent;
}

export interface SendOptions {
  /** Address of the provider without a trailing slash. */
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly connections: Lazy<Connections>;
}

const defaultMaxBytes = 1024 * 1024;
const defaultTimeoutMs = 20_000;

/**
 * Sends a request. Its answer has begun: its body has to be read or cancelled. Redirects are not followed, and a link to another origin is
 * `rejected`: both would carry the token to somebody else. Throws ProviderError `unavailable` when there is no answer in time, and the reason of
 * the signal when it aborts.
 */
export async function open(request: ProviderRequest, options: SendOptions): Promise<Response> {
  const url = urlOf(request.target, options.baseUrl);
  const deadline = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal]);
  try {
    const connections = await options.connections.get();
    return await connections.fetch(url, {
      method: request.method,
      headers: headersOf(request, options.accessToken),
      redirect: 'manual',
      signal,
      dispatcher: connections.dispatcher,
      ...(request.body && { body: JSON.stringify(request.body) }),
    });
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new ProviderError({ kind: 'unavailable', cause });
  }
}

/** Reads an answer to its end. Throws like `open`, also when it is too large. */
export async function readAnswer(response: Response, request: ProviderRequest): Promise<ProviderAnswer> {
  try {
    const bytes = await readBytes(response.body, { mostBytes: request.maxBytes ?? defaultMaxBytes });
    return { status: response.status, headers: response.headers, bytes, json: parseJson(bytes) };
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new ProviderError({ kind: 'unavailable', cause });
  }
}

/** The bytes of an answer while they arrive. Throws like `open`. */
export async function* readChunks({ body }: Response, request: ProviderRequest): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield chunk;
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new ProviderError({ kind: 'unavailable', cause });
  }
}

function urlOf(target: string, baseUrl: string): URL {
  const url = URL.parse(target.startsWith('/') ? `${baseUrl}${target}` : target);
  if (url === null || url.origin !== new URL(baseUrl).origin)
    throw new ProviderError({ kind: 'rejected', code: 'link' });
  return url;
}

function headersOf({ headers, body }: ProviderRequest, accessToken: string): Record<string, string> {
  return {
    ...headers,
    authorization: `Bearer ${accessToken}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return undefined;
  }
}
