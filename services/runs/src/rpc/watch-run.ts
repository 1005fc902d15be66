import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { watchEvents } from '../execution/watching/watch-events.ts';
import type { Handlers } from './handlers.ts';

/** Streams the events of a run behind a place. */
export function watchRun(context: Context): Handlers['watchRun'] {
  return (request, { signal }) =>
    watchEvents(context, { ...request, accountId: checkAccountId(request.accountId) }, signal);
}
