import type { Context } from '../../context.ts';
import { runNotFound } from '../../errors.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectRun } from '../../store/ledger/run-reads.ts';
import { stopRun } from '../../turns/stop-run.ts';
import type { Handlers } from '../handlers.ts';
import { namedRun } from '../../turns/named-run.ts';

/** Cancels a run that is not over, and returns it. */
export function cancelRun(context: Context): Handlers['cancelRun'] {
  return async (request) => {
    const name = namedRun(request);
    const found = await stopRun(context, name);
    const row = found ? await selectRun(context.db, name) : undefined;
    if (row === undefined) throw runNotFound(name.invocationId);
    return { run: toLedgerRun(row) };
  };
}
