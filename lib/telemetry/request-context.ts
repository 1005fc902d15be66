import { AsyncLocalStorage } from 'node:async_hooks';

/** The ids of a request in every service: log lines carry `requestId`, spans continue the trace of `traceparent` (W3C). */
export interface RequestContext {
  readonly requestId: string;
  readonly traceparent?: string;
}

/** The request being handled. The edge runs each request in it; the mesh carries it across calls. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
