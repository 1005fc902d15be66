import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { type Host, startJob } from '@agentmesh/lib/service';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { Context } from './mail/context.ts';
import { createKeepSchedules } from './jobs/keep-schedules.ts';
import { createScheduleHandlers } from './rpc/schedules/index.ts';

/** Serves schedules, and runs them. */
export function startSchedules(
  host: Pick<Host, 'mesh' | 'metrics' | 'log' | 'draining' | 'resources'>,
  { db, clock }: Pick<Context, 'db' | 'clock'>,
): void {
  const { mesh, metrics, log, resources, draining } = host;
  const ticks = metrics.counter({
    name: 'webhooks_schedule_ticks_total',
    help: 'Ticks of schedules by what became of them: started, failed (no run could be started), missed.',
    labelNames: ['outcome'],
  });
  const countTicks = (outcome: string, number: number): void => ticks.inc({ outcome }, number);
  const schedules = {
    db,
    clock,
    log,
    draining,
    runs: mesh.client(RunsService),
    sessions: mesh.client(SessionsService),
    notices: mesh.client(NoticesService),
    countTicks,
  };
  mesh.serve(SchedulesService, createScheduleHandlers(schedules));
  resources.use(startJob(createKeepSchedules(schedules), host));
  resources.use(startJob(createForgetKeys(db), host));
}
