import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { runNotFound } from '../../errors.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectRun } from '../../store/ledger/run-reads.ts';
import { isInvocationId } from '../../turns/invocation-id.ts';
import { stopRun } from '../../turns/stop-run.ts';
import type { Handlers } from '../handlers.ts';

/** Cancels a run that is not over, and returns it. */
export function cancelRun(context: Context): Handlers['cancelRun'] {
  return async (request) => {
    const { invocationId, userId, appName, sessionId } = request;
    const name = { accountId: checkAccountId(request.accountId), invocationId, userId, appName, sessionId };
    if (!isInvocationId(invocationId) || [userId, appName, sessionId].some((text) => text.includes('\0')))
      throw runNotFound(invocationId);
    const found = await stopRun(context, name);
    const row = found ? await selectRun(context.db, name) : undefined;
    if (row === undefined) throw runNotFound(invocationId);
    return { run: toLedgerRun(row) };
  };
}
