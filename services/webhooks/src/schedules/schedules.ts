import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Wake } from '@agentmesh/lib/wait';
import type { Client } from '@connectrpc/connect';
import type { Clock } from '../clock.ts';

/** Resources of schedules. */
export interface Schedules {
  readonly db: Database;
  readonly jobs: Pick<Jobs, 'add'>;
  readonly log: Logger;
  readonly clock: Clock;
  /** Aborts when the process begins nothing new. */
  readonly draining: AbortSignal;
  /** Looks for ticks that are due. */
  readonly wake: Pick<Wake, 'wake'>;
  /** Least time between two ticks of a schedule. */
  readonly minSeconds: number;
  /** Runs of schedules that an account may start in an hour. */
  readonly runsPerHour: number;
  readonly runs: Pick<Client<typeof RunsService>, 'startRun'>;
  readonly sessions: Pick<Client<typeof SessionsService>, 'getRun'>;
  readonly notices: Pick<Client<typeof NoticesService>, 'addNotice'>;
  readonly countTicks: (outcome: 'started' | 'failed' | 'missed', number: number) => void;
}
