import { AsyncLocalStorage } from 'node:async_hooks';

/** The ids of a request in every service: log lines carry `requestId`, spans continue the trace of `traceparent` (W3C). */
export interface RequestContext {
  readonly requestId: string;
  readonly traceparent?: string;
  /** Time that the work for the request has taken so far; absent where nobody will tell it. */
  readonly spent?: Spent;
}

/** Milliseconds that the work for a request has taken so far, in all processes. Work at the same time counts each time. */
export interface Spent {
  /** Service where the request arrived: its own calls count as `calls`, those that they cause do not. Empty in other processes. */
  readonly owner: string;
  calls: number;
  /** Statements and transactions. */
  database: number;
  /** Calls of models on the network. */
  model: number;
}

export function newSpent(owner = ''): Spent {
  return { owner, calls: 0, database: 0, model: 0 };
}

/** The request being handled. The edge runs each request in it; the mesh carries it across calls. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
