import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/** Accounts with fewer runs in all processes are not near a limit that makes sense. */
const smallest = 8;
const pauseMs = 2_000;
/** Rounds of which all but one are left out while no account is near a limit. */
const quietRounds = 5;

/** Counts the runs of all processes for the limits of accounts. */
export function createCountActiveRuns({ sessions, admission, config }: Context): Job {
  const { accountMaxConcurrent, accountMaxQueued, maxConcurrent } = config.admission;
  const atLeast = Math.max(1, Math.min(smallest, accountMaxConcurrent, accountMaxQueued));
  let leftOut = 0;
  let isQuiet = false;
  return {
    pauseMs,
    failure: 'the runs of other processes cannot be counted',
    async run() {
      leftOut += 1;
      if (isQuiet && admission.free === maxConcurrent && leftOut < quietRounds) return;
      leftOut = 0;
      const { accounts } = await sessions.countActiveRuns({ atLeast }, { timeoutMs: 2_000 });
      isQuiet = accounts.length === 0;
      admission.seen(new Map(accounts.map(({ accountId, queued, running }) => [accountId, { queued, running }])));
    },
  };
}
