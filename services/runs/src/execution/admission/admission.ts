import type { MeshError } from '@agentmesh/lib/rpc';
import { accountConcurrentRuns, accountQueuedRuns, concurrentRuns, queuedRuns } from '../../errors.ts';
import type { WaitingRuns } from './waiting-runs.ts';

/** How many runs may execute and wait. */
export interface AdmissionLimits {
  /** Runs that this process executes. */
  readonly maxConcurrent: number;
  /** Runs that wait in this process; 0: none. */
  readonly maxQueued: number;
  /** Runs of one account that all processes execute. */
  readonly accountMaxConcurrent: number;
  /** Runs of one account that wait in all processes. */
  readonly accountMaxQueued: number;
}

/** Permission for one new run. */
export interface Permit {
  /** There is no room to execute it: it has to wait. */
  readonly postpone: boolean;
  /** Gives the place back. To be called once, unless the run has started: then `ended` gives it back. */
  release(): void;
}

/** Number of an account's runs. */
export interface RunCounts {
  readonly queued: number;
  readonly running: number;
}

/**
 * Decides which runs this process takes, before it does anything for them. It counts its own runs exactly, and those of other processes by the ledger, of
 * which `seen` gets a count every few seconds: the limits of accounts may be exceeded by what other processes have accepted since.
 */
export interface Admission {
  /**
   * Takes a place for a new run.
   *
   * @throws MeshError resource_exhausted `queued_runs`, `account_queued_runs`; `concurrent_runs`, `account_concurrent_runs` where no run may wait
   */
  admit(accountId: string): Permit;
  /** Places for runs to execute. */
  readonly free: number;
  /** Whether a run of the account may be executed now. */
  mayStart(accountId: string): boolean;
  /** Takes a place for a run to execute, also if there is none. */
  started(accountId: string): void;
  /** Gives back the place of a run that was executed, or that could not be started. */
  ended(accountId: string): void;
  /** To be called with the numbers of runs of all processes. */
  seen(counts: ReadonlyMap<string, RunCounts>): void;
}

interface AdmissionOptions {
  readonly limits: AdmissionLimits;
  readonly waiting: Pick<WaitingRuns, 'size' | 'countOf'>;
}

export function createAdmission({ limits, waiting }: AdmissionOptions): Admission {
  const running = createTally();
  /** Runs that are being stored and will wait. */
  const entering = createTally();
  let others = new Map<string, RunCounts>();

  const queuedOf = (accountId: string): number => waiting.countOf(accountId) + entering.of(accountId);
  const isAtLimit = (accountId: string): boolean =>
    running.of(accountId) + (others.get(accountId)?.running ?? 0) >= limits.accountMaxConcurrent;
  const mayStart = (accountId: string): boolean => running.total < limits.maxConcurrent && !isAtLimit(accountId);
  const refusal = (accountId: string, postpone: boolean): MeshError | undefined => {
    const { maxQueued, accountMaxQueued } = limits;
    const accountQueued = queuedOf(accountId) + (others.get(accountId)?.queued ?? 0);
    if (accountMaxQueued > 0 && accountQueued >= accountMaxQueued) return accountQueuedRuns();
    if (!postpone) return undefined;
    if (accountMaxQueued === 0) return isAtLimit(accountId) ? accountConcurrentRuns() : concurrentRuns();
    if (waiting.size + entering.total < maxQueued) return undefined;
    return maxQueued === 0 ? concurrentRuns() : queuedRuns();
  };
  return {
    admit(accountId) {
      const postpone = !mayStart(accountId);
      const failure = refusal(accountId, postpone);
      if (failure !== undefined) throw failure;
      const tally = postpone ? entering : running;
      tally.add(accountId);
      return { postpone, release: () => tally.remove(accountId) };
    },
    get free() {
      return Math.max(0, limits.maxConcurrent - running.total);
    },
    mayStart,
    started: (accountId) => running.add(accountId),
    ended: (accountId) => running.remove(accountId),
    seen(counts) {
      others = new Map();
      for (const [accountId, { queued, running: all }] of counts) {
        others.set(accountId, {
          queued: Math.max(0, queued - queuedOf(accountId)),
          running: Math.max(0, all - running.of(accountId)),
        });
      }
    },
  };
}

/** Counts by account. */
function createTally() {
  const counts = new Map<string, number>();
  let total = 0;
  const change = (accountId: string, by: 1 | -1): void => {
    const count = (counts.get(accountId) ?? 0) + by;
    if (count === 0) counts.delete(accountId);
    else counts.set(accountId, count);
    total += by;
  };
  return {
    get total() {
      return total;
    },
    of: (accountId: string): number => counts.get(accountId) ?? 0,
    add: (accountId: string): void => change(accountId, 1),
    remove: (accountId: string): void => change(accountId, -1),
  };
}
