import type { Context } from '../context.ts';
import { type DeadRun, findDeadRuns } from '../store/ledger/dead-runs.ts';
import { findAliveOwners } from '../store/replicas/executors.ts';
import { adoptQueuedRuns } from '../store/runs.ts';
import { beginningAnywhere } from './beginning-anywhere.ts';
import { endDeadRuns, rewinds } from './end-dead-runs.ts';
import type { Heir } from './heir.ts';
import { takeOverRuns } from './take-over.ts';

/** Most runs without an executor that one statement finds. */
const mostFound = 256;

/**
 * Takes over runs whose executor is gone, and ends those that nobody may take over: these hold up their sessions, whatever the caller may start. It goes on
 * until all are ended, or there is something to answer.
 */
export async function settleDeadRuns(context: Context, heir: Heir): Promise<void> {
  let settled: Settled;
  do settled = await settleSome(context, heir);
  while (settled.found === mostFound && settled.ended > 0 && heir.turns.length === 0 && !heir.late.aborted);
}

interface Settled {
  readonly found: number;
  readonly ended: number;
}

async function settleSome(context: Context, heir: Heir): Promise<Settled> {
  const { owner, apps, takesOver } = heir;
  const dead = await findDeadRuns(context.db, { apps, takesOver, limit: mostFound });
  // Their owners may be alive and about to renew their leases. Asked after the statement, which may itself have waited for an outage to end.
  if (!context.outages.isCalm) return { found: 0, ended: 0 };
  const alive = await findAliveOwners(context.db, dead);
  const adopt = async (run: DeadRun): Promise<void> => {
    if (run.isServed) await adoptQueuedRuns(context.db, run, { heir: owner, alive });
  };
  const runs = beginningAnywhere(dead);
  const goesOn = (run: DeadRun): boolean =>
    takesOver && run.isServed && run.status === 'running' && !run.isAbandoned && !rewinds(run);
  const look = { context, heir, adopt };
  await takeOverRuns(look, runs.filter(goesOn));
  const ended = await endDeadRuns(
    look,
    runs.filter((run) => !goesOn(run)),
  );
  return { found: dead.length, ended };
}
