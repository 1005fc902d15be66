import type { Logger } from '@agentmesh/lib/telemetry';
import type { Turns } from '@agentmesh/lib/wait';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { AppFinder } from '../apps/registry/app-finder.ts';
import type { Admission } from './admission/admission.ts';
import type { WaitingRuns } from './admission/waiting-runs.ts';
import type { Executor } from './attempt/executor.ts';
import type { Strays } from './strays.ts';
import type { HistoryCache } from './attempt/history-cache.ts';

/** Surroundings of the runs of this process: runs are accepted, wait, and are executed in them. */
export interface Running {
  readonly config: {
    /** Apps that this process serves; empty: all. */
    readonly apps: readonly string[];
    /** Most recent events that an agent sees. */
    readonly historyWindow: number;
  };
  readonly log: Logger;
  /** Id of this process as an executor, for the sessions service. */
  readonly owner: string;
  /** All apps of an account. */
  readonly apps: AppFinder;
  readonly sessions: Client<typeof SessionsService>;
  readonly executor: Executor;
  readonly strays: Strays;
  readonly histories: HistoryCache;
  readonly waiting: WaitingRuns;
  readonly admission: Admission;
  /** Turns of accounts to store a run and begin it. */
  readonly accountTurns: Turns;
  /** Aborts when the process takes no new runs. */
  readonly draining: AbortSignal;
}
