import type { Logger } from '@agentmesh/lib/telemetry';
import type { Stopping } from '@agentmesh/lib/wait';
import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MemoryService } from '@agentmesh/proto/memory/v1';
import type { SessionsService, Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { CountCost } from '../../models/use/count-cost.ts';
import type { RunWaits } from '../../models/use/run-waits.ts';
import type { TurnLease } from '../../models/use/turn-lease.ts';
import type { ServedApp } from '../../apps/building/app-version.ts';
import type { EndedTurn } from '../compaction/compactor.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { HistoryCache } from './history-cache.ts';
import type { HistoryWindow } from '../../apps/turns/history/history-window.ts';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import type { Viewer } from '../viewer.ts';

export interface ExecutionDeps {
  /** Name of this process, as its turns have it. */
  readonly owner: string;
  readonly sessions: Client<typeof SessionsService>;
  /** Memory for the agents' tools. Absent: the tools return an error. */
  readonly memory?: Client<typeof MemoryService>;
  /** Artifacts for the agents' tools. Absent: the tools return an error. */
  readonly artifacts?: Client<typeof ArtifactsService>;
  /** Finds an app of an account. Throws MeshError when there is none. */
  readonly findApp: (accountId: string, name: string) => ServedApp | Promise<ServedApp>;
  /** Limits of each run. */
  readonly limits: RunLimits;
  /** Seconds for which runs of apps that say nothing wait for an answer; 0: for ever. */
  readonly answerSeconds: number;
  /** Number of most recent events that an agent sees. */
  readonly historyWindow: number;
  /** Time in milliseconds that attempts go on while a service or its database cannot be reached. */
  readonly outageMs: number;
  readonly histories: HistoryCache;
  readonly live: Pick<LiveRuns, 'attempt'>;
  /** Counts what the calls of a run have cost so far. Absent: the cost of executors that died is not known. */
  readonly countCost?: CountCost;
  /** Called when the agents of a turn have come to their end. */
  readonly onTurnEnded?: (ended: EndedTurn) => void;
  readonly log: Logger;
}

export interface AttemptRun {
  readonly turn: Turn;
  /** The cached window that the request to BeginTurn named. */
  readonly known?: HistoryWindow | undefined;
  readonly viewer?: Viewer | undefined;
  /** Ends the agents. It is aborted with AttemptStopped from outside, and in any case when the attempt is over. */
  readonly working: Stopping;
  readonly lease: TurnLease;
  readonly waits: RunWaits;
  /** Ends with AttemptStopped when the turn is lost, so that nothing more can be written. */
  readonly lost: Stopping;
}

/** How an attempt ended for its executor. `lost`: the executor no longer holds the turn. `handed-over`: another executor goes on. */
export type Ending = 'ended' | 'failed' | 'cancelled' | 'lost' | 'handed-over';
