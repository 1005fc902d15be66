import type { Context } from '../../context.ts';
import { selectSlowAccounts, selectWaitsOfAccounts, type SlowAccountRow } from '../../store/ledger/slow-accounts.ts';
import type { Handlers } from '../handlers.ts';

const [usualMinutes, mostMinutes] = [15, 60];

/** Tells which accounts have slow runs, and what their time is spent on. */
export function listSlowAccounts({ db }: Context): Handlers['listSlowAccounts'] {
  return async (request) => {
    const minutes = Math.min(request.minutes <= 0 ? usualMinutes : request.minutes, mostMinutes);
    const rows = await selectSlowAccounts(db, minutes);
    const ids = rows.map((row) => row.account_id);
    const waits = Map.groupBy(await selectWaitsOfAccounts(db, minutes, ids), (wait) => wait.account_id);
    return {
      accounts: rows.map((row) => ({
        accountId: row.account_id,
        runs: row.runs,
        active: row.active,
        failed: row.failed,
        meanSeconds: row.mean,
        longestSeconds: row.longest,
        spent: spentOf(row, waits.get(row.account_id) ?? []),
      })),
    };
  };
}

interface Wait {
  readonly waiting_on: string;
  readonly seconds: number;
}

/** Waits of parallel agents can be longer than the run. */
function spentOf({ queued, executed }: SlowAccountRow, waits: readonly Wait[]) {
  const waited = waits.reduce((sum, { seconds }) => sum + seconds, 0);
  const parts = [
    { on: 'queue', seconds: queued },
    ...waits.map(({ waiting_on: on, seconds }) => ({ on, seconds })),
    { on: 'agents', seconds: Math.max(0, executed - waited) },
  ];
  return parts.filter(({ seconds }) => seconds > 0).sort((one, other) => other.seconds - one.seconds);
}
