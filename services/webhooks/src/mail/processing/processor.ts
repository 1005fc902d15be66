import type { Database } from '@agentmesh/lib/pg';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { Jobs } from '@agentmesh/lib/jobs';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Clock } from '../../clock.ts';
import type { Providers } from '../provider/providers.ts';

/** Resources that the processing of mail uses. */
export interface Processor {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly clock: Clock;
  readonly providers: Providers;
  readonly auth: Client<typeof AuthService>;
  readonly runs: Client<typeof RunsService>;
  readonly sessions: Client<typeof SessionsService>;
  readonly limits: ProcessingLimits;
}

export interface ProcessingLimits {
  /** Pauses in seconds after failed attempts; the last one repeats. At least one. */
  readonly retrySeconds: readonly number[];
  /** Runs that one sender may start in an hour, for each subscription. */
  readonly runsPerSender: number;
  /** Runs that one subscription may start in an hour. */
  readonly runsPerSubscription: number;
  /** Days for which logs are kept after their end; 0: for ever. */
  readonly keepDays: number;
}

/** Deadline of calls to services. */
export const callMs = 30_000;

/** Milliseconds between two reads of the ledger for a run whose end was not announced. */
export const checkMs = 30_000;
/** The same for a run that waits for the answer of a person or of a long-running tool. Such a run holds nothing, and takes no place of its mailbox. */
export const waitingCheckMs = 300_000;
