import type { HandlerContext } from '@connectrpc/connect';
import type { Leaving } from '../../wait/index.ts';
import { ServerCall } from './server-call.ts';

/** The end of the call whose handler has got `context`. */
export function leavingOf(context: HandlerContext): Leaving {
  if (context instanceof ServerCall) return context;
  throw new Error('a handler was called past the mesh');
}
