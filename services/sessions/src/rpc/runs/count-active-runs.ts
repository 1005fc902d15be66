import type { Context } from '../../context.ts';
import { type AccountRuns, countActiveRuns as countRuns } from '../../store/ledger/queued-runs.ts';
import { askInTurns } from '../../store/replicas/rounds.ts';
import type { Handlers } from '../handlers.ts';

const mostAccounts = 10_000;

/** An account with fewer runs is not near a limit that makes sense. */
const fewest = 8;
const turn = { kind: 'count-runs', seconds: 1.5 };

/** Counts the runs that have not ended, of all executors, or answers how many there were some seconds ago. */
export function countActiveRuns({ db }: Context): Handlers['countActiveRuns'] {
  return async ({ atLeast }) => {
    const wanted = Math.max(1, atLeast);
    const count = (least: number) => countRuns(db, { atLeast: least, limit: mostAccounts });
    if (wanted < fewest) return { accounts: await count(wanted) };
    const counted = (await askInTurns<AccountRuns[]>(db, turn, () => count(fewest))) ?? [];
    return { accounts: counted.filter(({ queued, running }) => queued + running >= wanted) };
  };
}
