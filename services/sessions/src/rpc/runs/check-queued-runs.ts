import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { statusOf } from '../../store/ledger/ledger-run.ts';
import { type CheckedRun, checkQueuedRuns as checkRuns, selectQueuePlaces } from '../../store/ledger/queued-runs.ts';
import type { Handlers } from '../handlers.ts';

const mostRuns = 1_000;

/** Extends the leases of granted runs in one statement, and tells which runs have left the queue and the places of the others. */
export function checkQueuedRuns({ db, leaseSeconds }: Context): Handlers['checkQueuedRuns'] {
  return async ({ owner, runs }) => {
    if (runs.length > mostRuns) throw invalid(`At most ${mostRuns} runs are checked in one call.`);
    const checked = await checkRuns(db, owner, { leaseSeconds, runs });
    const waiting = checked.filter((run) => run.status === 'queued' && run.own === true);
    const places = await selectQueuePlaces(db, waiting);
    return {
      queued: places.map(({ place, ...run }) => ({ ...nameOf(run), queuePosition: place })),
      granted: checked.filter((run) => run.status === 'granted' && run.own === true).map(nameOf),
      left: checked.filter(hasLeft).map((run) => ({ run: nameOf(run), status: statusOf(run.status ?? 'cancelled') })),
    };
  };
}

/** Also a run that another executor owns by now: this one is not told when it gets its turn. */
function hasLeft({ status, own }: CheckedRun): boolean {
  return own !== true || (status !== 'queued' && status !== 'granted');
}

function nameOf({ sessionPk, invocationId }: Pick<CheckedRun, 'sessionPk' | 'invocationId'>) {
  return { sessionPk, invocationId };
}
