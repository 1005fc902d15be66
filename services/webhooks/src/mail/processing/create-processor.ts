import type { Mesh } from '@agentmesh/lib/rpc';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import type { Processor } from './processor.ts';

/** Collects what the processing of mail needs. */
export function createProcessor({ config, db, jobs, log, clock, auth, providers }: Context, mesh: Mesh): Processor {
  return {
    db,
    jobs,
    log,
    clock,
    auth,
    providers,
    runs: mesh.client(RunsService),
    sessions: mesh.client(SessionsService),
    limits: {
      retrySeconds: config.WEBHOOK_RETRY_SECONDS,
      runsPerSender: config.WEBHOOK_RUNS_PER_SENDER,
      runsPerSubscription: config.WEBHOOK_RUNS_PER_SUBSCRIPTION,
      keepDays: config.WEBHOOK_LOG_KEEP_DAYS,
    },
  };
}
