import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { type Host, startJob } from '@agentmesh/lib/service';
import { Wake } from '@agentmesh/lib/wait';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { settings } from './config.ts';
import type { DueWork } from './due-work.ts';
import { keepTurns } from './keep-turns.ts';
import type { Context } from './mail/context.ts';
import { createScheduleHandlers } from './rpc/schedules/index.ts';
import type { Schedules } from './schedules/schedules.ts';
import { pauseTeller, tellPaused } from './schedules/tell-paused.ts';
import { createTicker } from './schedules/ticker.ts';

type Parts = Pick<Context, 'db' | 'clock' | 'jobs'> & { readonly due: DueWork };

/** Serves schedules, and runs them. */
export async function startSchedules(host: Host<typeof settings>, { db, clock, jobs, due }: Parts): Promise<void> {
  const { config, mesh, metrics, log, resources, draining } = host;
  const ticks = metrics.counter({
    name: 'agentmesh_webhooks_schedule_ticks_total',
    help: 'Ticks of schedules by what became of them: started, failed (no run could be started), missed.',
    labelNames: ['outcome'],
  });
  const wake = new Wake();
  const schedules: Schedules = {
    db,
    clock,
    jobs,
    log,
    draining,
    wake,
    minSeconds: config.SCHEDULES_MIN_SECONDS,
    runsPerHour: config.SCHEDULES_RUNS_PER_HOUR,
    runs: mesh.client(RunsService),
    sessions: mesh.client(SessionsService),
    notices: mesh.client(NoticesService),
    countTicks: (outcome, number) => ticks.inc({ outcome }, number),
  };
  await jobs.work(tellPaused, pauseTeller(schedules));
  mesh.serve(SchedulesService, createScheduleHandlers(schedules));
  resources.use(startTicker(schedules, wake, due));
  resources.use(startJob(createForgetKeys(db), host));
}

/** Disposing waits for the ticks that are under way. */
function startTicker(schedules: Schedules, wake: Wake, due: DueWork): AsyncDisposable {
  const { log, draining } = schedules;
  const stopping = new AbortController();
  const signal = AbortSignal.any([draining, stopping.signal]);
  const ticker = createTicker({ ...schedules, draining: signal });
  const isDue = () => due.has('schedules');
  const running = keepTurns(ticker, { wake, isDue, log, failure: 'the due schedules cannot be read', signal });
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
      await ticker.end();
    },
  };
}
