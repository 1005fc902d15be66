import { activeTraceparent, type RequestContext, requestContext } from '../telemetry/index.ts';

declare global {
  /** Connect's types name this DOM type, which Node's own types lack. */
  type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
}

export const REQUEST_ID = 'x-request-id';
export const TRACEPARENT = 'traceparent';

/** Where a call comes from and how long it may take; made by a transport, read by the server side. */
export interface CallOrigin {
  readonly protocolName: 'local' | 'grpc';
  /** The caller's request, as far as it told. */
  readonly context: Partial<RequestContext>;
  /** Called at most once, and only when a handler reads its headers. */
  readonly header: () => Headers;
  /** Milliseconds from now; absent without a deadline. */
  readonly timeoutMs?: number | undefined;
  /** Aborts when the caller gives up. */
  readonly signal?: AbortSignal | undefined;
}

/** What an outgoing call tells of its request: headers of the call win over the request being handled. */
export function outgoingContext(header: Headers | undefined): Partial<RequestContext> {
  const current = requestContext.getStore();
  const requestId = header?.get(REQUEST_ID) ?? current?.requestId;
  const traceparent = header?.get(TRACEPARENT) ?? activeTraceparent() ?? current?.traceparent;
  return {
    ...(isHeaderValue(requestId) && { requestId }),
    ...(isHeaderValue(traceparent) && { traceparent }),
  };
}

/** Adds the request context to headers, in place. */
export function withContext(header: Headers, { requestId, traceparent }: Partial<RequestContext>): Headers {
  if (requestId !== undefined) header.set(REQUEST_ID, requestId);
  if (traceparent !== undefined) header.set(TRACEPARENT, traceparent);
  return header;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The longest timer of the platform at most; undefined, 0 and less mean no deadline, as in Connect. */
export function effectiveTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || timeoutMs <= 0) return undefined;
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}

/** gRPC metadata is printable ASCII; an id that came in as anything else is left behind rather than failing the call. */
function isHeaderValue(value: string | undefined): value is string {
  return value !== undefined && /^[\x20-\x7e]{1,200}$/.test(value);
}
