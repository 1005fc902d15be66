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
    const { invocationId, userId } = request;
    if (!isInvocationId(invocationId) || userId.includes('\0')) throw runNotFound(invocationId);
    const row = await selectRun(db, { accountId, invocationId, userId });
    if (row === undefined) throw runNotFound(invocationId);
    return { run: toLedgerRun(row) };
  };
}
