import type { Context } from '../../context.ts';
import { countActiveRuns as countRuns } from '../../store/ledger/queued-runs.ts';
import type { Handlers } from '../handlers.ts';

const mostAccounts = 10_000;

/** Counts the runs that have not ended, of all executors. */
export function countActiveRuns({ db }: Context): Handlers['countActiveRuns'] {
  return async ({ atLeast }) => ({
    accounts: await countRuns(db, { atLeast: Math.max(1, atLeast), limit: mostAccounts }),
  });
}
