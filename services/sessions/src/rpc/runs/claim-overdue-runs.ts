import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { claimOverdueRuns as claim } from '../../store/ledger/overdue-runs.ts';
import type { Handlers } from '../handlers.ts';

const mostRuns = 100;

/** Returns runs whose answer did not come in time, each to one caller in a minute. */
export function claimOverdueRuns({ db }: Context): Handlers['claimOverdueRuns'] {
  return async ({ apps, limit }) => {
    if (limit < 0 || limit > mostRuns) throw invalid(`A request names at most ${mostRuns} runs.`);
    const rows = await claim(db, apps, limit === 0 ? mostRuns : limit);
    return { runs: rows.map((row) => ({ accountId: row.account_id, run: toLedgerRun(row) })) };
  };
}
