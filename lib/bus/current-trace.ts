import { activeTraceparent, requestContext } from '../telemetry/index.ts';

/** The W3C trace context in which a message is sent; undefined outside of a request. */
export function currentTrace(): string | undefined {
  return activeTraceparent() ?? requestContext.getStore()?.traceparent;
}
