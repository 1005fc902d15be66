import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/** Accounts with fewer runs in all processes are not near a limit that makes sense. */
const smallest = 8;

/** Counts the runs of all processes for the limits of accounts. */
export function createCountActiveRuns({ sessions, admission, config }: Context): Job {
  const { accountMaxConcurrent, accountMaxQueued } = config.admission;
  const atLeast = Math.max(1, Math.min(smallest, accountMaxConcurrent, accountMaxQueued));
  return {
    pauseMs: 2_000,
    failure: 'the runs of other processes cannot be counted',
    async run() {
      const { accounts } = await sessions.countActiveRuns({ atLeast }, { timeoutMs: 2_000 });
      admission.seen(new Map(accounts.map(({ accountId, queued, running }) => [accountId, { queued, running }])));
    },
  };
}
