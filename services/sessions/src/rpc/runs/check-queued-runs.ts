import { checkAccountId } from '@agentmesh/lib/rpc';
import type { CheckQueuedRunsResponseSchema, QueuedRun } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { statusOf } from '../../store/ledger/ledger-run.ts';
import { type CheckedRun, checkQueuedRuns as checkRuns, selectQueuePlaces } from '../../store/ledger/queued-runs.ts';
import type { Handlers } from '../handlers.ts';

const mostRuns = 1_000;

type Answer = MessageInitShape<typeof CheckQueuedRunsResponseSchema>;

/** Extends the leases of granted runs, in one statement for each account, and tells which runs have left the queue and the places of the others. */
export function checkQueuedRuns(context: Context): Handlers['checkQueuedRuns'] {
  return async ({ owner, runs }) => {
    if (runs.length > mostRuns) throw invalid(`At most ${mostRuns} runs are checked in one call.`);
    const byAccount = Map.groupBy(runs, (run) => checkAccountId(run.accountId));
    const checked = await Promise.all([...byAccount].map(([id, ofAccount]) => checkOf(context, owner, id, ofAccount)));
    return {
      queued: checked.flatMap(({ queued = [] }) => queued),
      granted: checked.flatMap(({ granted = [] }) => granted),
      left: checked.flatMap(({ left = [] }) => left),
    };
  };
}

async function checkOf(
  { db, leaseSeconds }: Context,
  owner: string,
  accountId: string,
  runs: readonly QueuedRun[],
): Promise<Answer> {
  const checked = await checkRuns(db, owner, { accountId, leaseSeconds, runs });
  const waiting = checked.filter((run) => run.status === 'queued' && run.own === true);
  const places = await selectQueuePlaces(db, { accountId, runs: waiting });
  const nameOf = ({ sessionPk, invocationId }: Pick<CheckedRun, 'sessionPk' | 'invocationId'>) => ({
    accountId,
    sessionPk,
    invocationId,
  });
  return {
    queued: places.map(({ place, ...run }) => ({ ...nameOf(run), queuePosition: place })),
    granted: checked.filter((run) => run.status === 'granted' && run.own === true).map(nameOf),
    left: checked.filter(hasLeft).map((run) => ({ run: nameOf(run), status: statusOf(run.status ?? 'cancelled') })),
  };
}

/** Also a run that another executor owns by now: this one is not told when it gets its turn. */
function hasLeft({ status, own }: CheckedRun): boolean {
  return own !== true || (status !== 'queued' && status !== 'granted');
}
