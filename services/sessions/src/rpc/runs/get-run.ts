import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { runNotFound } from '../../errors.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectRun } from '../../store/ledger/run-reads.ts';
import { isInvocationId } from '../../turns/invocation-id.ts';
import type { Handlers } from '../handlers.ts';

/** Returns one run of the ledger. */
export function getRun({ db }: Context): Handlers['getRun'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const { invocationId, userId, appName, sessionId } = request;
    const hasNul = [userId, appName, sessionId].some((name) => name.includes('\0'));
    if (!isInvocationId(invocationId) || hasNul) throw runNotFound(invocationId);
    const row = await selectRun(db, { accountId, invocationId, userId, appName, sessionId });
    if (row === undefined) throw runNotFound(invocationId);
    return { run: toLedgerRun(row) };
  };
}
