import { isKeyed, once } from '@agentmesh/lib/idempotency';
import { RunStatus, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { stopRun } from '../../turns/stop-run.ts';
import type { Handlers } from '../handlers.ts';
import { cancelRun } from './cancel-run.ts';
import { namedRun } from '../../turns/named-run.ts';

/**
 * Cancels a run, once for an idempotency key. With a key, the executor is told again after the commit: it asks the ledger what is true, and before
 * the commit that is not the cancel yet.
 */
export function cancelRunOnce(context: Context): Handlers['cancelRun'] {
  const cancel = once(context, SessionsService.method.cancelRun, cancelRun);
  return async (request, call) => {
    const answer = await cancel(request, call);
    if (isKeyed(call.requestHeader) && answer.already !== true && answer.run?.status === RunStatus.RUNNING) {
      await stopRun(context, namedRun(request));
    }
    return answer;
  };
}
