import type { Context } from '../../context.ts';
import { runNotFound } from '../../errors.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectRunOfAnyAccount, selectRunsAhead } from '../../store/ledger/run-holders.ts';
import { isInvocationId } from '../../turns/invocation-id.ts';
import type { Handlers } from '../handlers.ts';

/** Tells who holds a run of any account, and what it waits for. */
export function findRunHolder({ db }: Context): Handlers['findRunHolder'] {
  return async ({ invocationId }) => {
    const row = isInvocationId(invocationId) ? await selectRunOfAnyAccount(db, invocationId) : undefined;
    if (row === undefined) throw runNotFound(invocationId);
    const isQueued = row.status === 'queued' || row.status === 'granted';
    const ahead = isQueued ? await selectRunsAhead(db, row) : [];
    return { accountId: row.account_id, run: toLedgerRun(row), ahead };
  };
}
