import { AsyncLocalStorage } from 'node:async_hooks';

/** What follows one request through every service: logs carry `requestId`, traces continue from `traceparent` (W3C). */
export interface RequestContext {
  readonly requestId: string;
  readonly traceparent?: string;
}

/** The request being handled. The edge runs each request in it; the mesh carries it across calls. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
