import { type ContextValues, createContextKey, createContextValues, type HandlerContext } from '@connectrpc/connect';

const callerKey = createContextKey('', { description: 'name of the service that calls' });

/** The values of a call that `caller` makes. */
export function valuesOfCaller(caller: string): ContextValues {
  return createContextValues().set(callerKey, caller);
}

/** Name of the service that calls a handler, which the transport has proven. A name in a request could be any. */
export function callingService({ values }: Pick<HandlerContext, 'values'>): string {
  return values.get(callerKey);
}
