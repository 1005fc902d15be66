import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { leave } from '../execution/admission/left-runs.ts';
import type { WaitingRun } from '../execution/admission/waiting-runs.ts';
import { startWaiting } from '../execution/take-up.ts';

const mostTogether = 1_000;
const timeoutMs = 2_500;

/**
 * Asks the ledger about all runs that wait in this process. So a run starts, and its viewer learns that it is gone, also when the hint was lost. Runs
 * that wait for room keep their turns.
 */
export function createCheckQueuedRuns(context: Context): Job {
  return {
    pauseMs: 3_000,
    failure: 'waiting runs cannot be checked',
    async run() {
      const runs = context.waiting.idle();
      for (let from = 0; from < runs.length; from += mostTogether) {
        await checkQueuedRuns(context, runs.slice(from, from + mostTogether));
      }
      startWaiting(context);
    },
  };
}

/** Checks at most 1,000 runs. */
export async function checkQueuedRuns(context: Context, runs: readonly WaitingRun[]): Promise<void> {
  const { owner, sessions, waiting } = context;
  const byName = new Map(runs.map((run) => [nameOf(run), run]));
  const asked = runs.map(({ sessionPk, invocationId }) => ({ sessionPk, invocationId }));
  const { granted, left } = await sessions.checkQueuedRuns({ owner, runs: asked }, { timeoutMs });
  for (const run of granted) {
    const known = byName.get(nameOf(run));
    if (known !== undefined) waiting.grant(known);
  }
  for (const { run, status } of left) {
    const known = run && byName.get(nameOf(run));
    // A run that is being started here has left the queue, too.
    if (known !== undefined && waiting.isIdle(known)) leave(context, known, status);
  }
}

function nameOf({ sessionPk, invocationId }: Pick<WaitingRun, 'sessionPk' | 'invocationId'>): string {
  return `${sessionPk}/${invocationId}`;
}
