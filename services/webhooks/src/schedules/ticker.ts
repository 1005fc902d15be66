import { FairTurns } from '../fair-turns.ts';
import { type DueSchedule, findAccountsWithDueSchedules, takeDueSchedules } from '../store/schedules.ts';
import { runTick } from './run-tick.ts';
import type { Schedules } from './schedules.ts';

/** Ticks that one replica acts on at the same time, and those of one account. */
const mostAtOnce = 32;
const mostOfAccount = 8;
/** An attempt at a tick has ended by then, or its process has. */
const claimMs = 30_000;
const hourMs = 3_600_000;

export type Ticker = Pick<FairTurns<DueSchedule>, 'begin' | 'settle' | 'end'>;

/** Acts on the ticks that are due. Any number of replicas may do this at once. */
export function createTicker(schedules: Schedules): Ticker {
  const { db, clock, draining: signal, wake, runsPerHour: mostOfHour } = schedules;
  return new FairTurns<DueSchedule>({
    mostAtOnce,
    mostOfAccount,
    signal,
    wake,
    findAccounts: async (asked) => {
      const found = await findAccountsWithDueSchedules(db, { ...asked, now: clock.now() });
      return found.map((row) => row.account_id);
    },
    take: (accountId, limit) => {
      const now = clock.now();
      const claimedUntil = new Date(now.getTime() + claimMs);
      const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
      return takeDueSchedules(db, { accountId, now, claimedUntil, hour, mostOfHour, limit });
    },
    act: (row) => act(schedules, row),
  });
}

/** A schedule that cannot be run holds nothing up. */
async function act(schedules: Schedules, row: DueSchedule): Promise<void> {
  try {
    await runTick(schedules, row);
  } catch (err) {
    schedules.log.warn({ err, scheduleId: row.id }, 'a schedule cannot be run');
  }
}
