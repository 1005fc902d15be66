import type { DescMethod } from '@bufbuild/protobuf';
import type { Leaving } from '../../wait/index.ts';
import { activeTraceparent, isTracing, type RequestContext, requestContext } from '../../telemetry/index.ts';

declare global {
  /** Connect's types name this DOM type, which Node's own types lack. */
  type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
}

export const REQUEST_ID = 'x-request-id';
export const TRACEPARENT = 'traceparent';

/** The caller's side of a call, as its transport tells it to the server. */
export interface CallOrigin {
  readonly protocolName: 'local' | 'grpc';
  /** Name of the service that calls, proven by the transport. */
  readonly caller: string;
  /** Request id and trace of the caller; absent where it sent none. */
  readonly context: Partial<RequestContext>;
  /** Called at most once, and only when a handler reads its headers. */
  readonly header: () => Headers;
  /** Milliseconds from now; absent without a deadline. */
  readonly timeoutMs?: number | undefined;
  /** Aborts when the caller leaves: it canceled, its deadline passed or its connection broke. */
  readonly signal?: AbortSignal | undefined;
  /** The same without a signal. */
  readonly left?: Leaving | undefined;
}

/** The request context that an outgoing call sends: from its own headers, else that of the request that is being handled, the same object where it can be sent. */
export function outgoingContext(header: Headers | undefined): Partial<RequestContext> {
  const current = requestContext.getStore();
  if (header === undefined && current !== undefined && !isTracing() && canBeSent(current)) return current;
  const requestId = header?.get(REQUEST_ID) ?? current?.requestId;
  const traceparent = header?.get(TRACEPARENT) ?? activeTraceparent() ?? current?.traceparent;
  return {
    ...(isHeaderValue(requestId) && { requestId }),
    ...(isHeaderValue(traceparent) && { traceparent }),
    ...(current?.spent !== undefined && { spent: current.spent }),
  };
}

/** Adds the request context to headers, in place. */
export function withContext(header: Headers, { requestId, traceparent }: Partial<RequestContext>): Headers {
  if (requestId !== undefined) header.set(REQUEST_ID, requestId);
  if (traceparent !== undefined) header.set(TRACEPARENT, traceparent);
  return header;
}

function canBeSent({ requestId, traceparent }: RequestContext): boolean {
  return isHeaderValue(requestId) && (traceparent === undefined || isHeaderValue(traceparent));
}

/** gRPC metadata is printable ASCII. An id of other characters is left out, so that the call does not fail. */
function isHeaderValue(value: string | undefined): value is string {
  return value !== undefined && /^[\x20-\x7e]{1,200}$/.test(value);
}

/** Name and attributes of the spans of a method, on both sides, by the conventions of OpenTelemetry for RPC. */
export function spanOf({ parent, name }: DescMethod) {
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.service': parent.typeName, 'rpc.method': name };
  return { name: `${parent.typeName}/${name}`, attributes };
}
