import { MeshError } from '@agentmesh/lib/rpc';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type AwaitedRun, deleteAwaitedRun } from '../../store/awaited-runs.ts';
import { insertRunNotice } from '../../store/notices.ts';
import type { Running } from '../running.ts';
import { storeNotice } from './store-notice.ts';
import { type Noticing, tellWatchers } from './tell-watchers.ts';

const timeoutMs = 5_000;

const types: Readonly<Partial<Record<RunStatus, string>>> = {
  [RunStatus.COMPLETED]: 'run_completed',
  [RunStatus.FAILED]: 'run_failed',
  [RunStatus.CANCELLED]: 'run_cancelled',
  [RunStatus.INTERRUPTED]: 'run_interrupted',
};

type Deps = Noticing & Pick<Running, 'sessions'>;

/** Asks the ledger about an awaited run, and makes its notice when it has ended. Exactly one notice comes of each run. */
export async function settleRun(deps: Deps, name: AwaitedRun): Promise<void> {
  const run = await findRun(deps, name);
  const type = run === undefined ? undefined : types[run.status];
  if (run !== undefined && type === undefined) return;
  const isAdded = await deps.db.transaction(async (tx) => {
    const [awaited] = await deleteAwaitedRun(tx, name);
    if (awaited === undefined || run === undefined || type === undefined) return false;
    const notice = { ...name, ...placeOf(run), type, title: awaited.title, body: bodyOf(run) };
    return storeNotice(tx, name.accountId, () => insertRunNotice(tx, notice));
  });
  deps.awaited.delete(name);
  if (isAdded) await tellWatchers(deps, name.accountId);
}

/** Undefined when the ledger does not know the run. */
async function findRun({ sessions }: Deps, name: AwaitedRun): Promise<LedgerRun | undefined> {
  try {
    return (await sessions.getRun({ ...name }, { timeoutMs })).run;
  } catch (error) {
    if (error instanceof MeshError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function placeOf({ appName, userId, sessionId }: LedgerRun) {
  return { appName, userId, sessionId };
}

function bodyOf({ status, errorMessage, errorCode }: LedgerRun): string {
  if (status === RunStatus.COMPLETED) return 'The run has completed.';
  if (status === RunStatus.FAILED) return errorMessage || errorCode || 'The run has failed.';
  return status === RunStatus.CANCELLED ? 'The run was cancelled.' : 'The run was interrupted.';
}
