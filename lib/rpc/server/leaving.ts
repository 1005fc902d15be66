import type { HandlerContext } from '@connectrpc/connect';
import { ServerCall } from './server-call.ts';

/** The end of a handler's call, because its caller has left or for any other reason. Costs less than a signal, which is made for those who ask for one. */
export interface Leaving {
  /** Why the call has ended; undefined while it is under way. */
  readonly ended: Error | undefined;
  /** Calls `work` when the call ends, unless the function that it returns is called before. Does nothing when the call has ended. */
  onceEnded(work: () => void): () => void;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
}

/** The end of the call whose handler has got `context`. */
export function leavingOf(context: HandlerContext): Leaving {
  if (context instanceof ServerCall) return context;
  throw new Error('a handler was called past the mesh');
}
