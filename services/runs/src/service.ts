import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { defineService, type Host } from '@agentmesh/lib/service';
import { startSpanWatching } from '@agentmesh/lib/telemetry';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { SessionsService, type Turn } from '@agentmesh/proto/sessions/v1';
import { readRunsConfig, type RunsConfig, runsSettings } from './config.ts';
import { follow } from './consumers/follow.ts';
import type { Context } from './context.ts';
import type { Compactor } from './execution/compaction/compactor.ts';
import type { Executor, HeldLease } from './execution/attempt/executor.ts';
import type { ModelUse } from './models/index.ts';
import { createCountCost } from './models/use/count-cost.ts';
import type { Ending } from './execution/attempt/execution-deps.ts';
import { createHistoryCache } from './execution/attempt/history-cache.ts';
import { createAdmission } from './execution/admission/admission.ts';
import { LiveRuns } from './execution/live/live-runs.ts';
import { Strays } from './execution/strays.ts';
import { WaitingRuns } from './execution/admission/waiting-runs.ts';
import { gaugeRuns } from './execution/gauge-runs.ts';
import { makeRoom } from './execution/take-up.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { createReleaseLeases } from './execution/release-leases.ts';
import { createWatchers } from './execution/notices/watchers.ts';
import { createRunWatchers } from './execution/watching/run-watchers.ts';
import { createHandlers } from './rpc/index.ts';
import { createNoticeHandlers } from './rpc/notices/index.ts';
import { keepSpans } from './execution/tracing/keep-spans.ts';

/** Time in milliseconds for the last reports of the use of models. */
const reportMs = 1_500;
/** Time in milliseconds of the drain that is left when attempts are stopped: to hand them over, and for the reports. */
const closingMs = 2_000;

/** Applications and their execution. */
export const runs = defineService({
  name: 'runs',
  database: { migrations: new URL('../migrations/', import.meta.url) },
  settings: runsSettings,
  async start(host) {
    const { log, mesh, bus, resources } = host;
    const config = readRunsConfig(host.config);
    // Must run before ADK is imported, because ADK gets its tracer only at import.
    if (host.config.ADK_WEB_UI) resources.use(await startSpanWatching('agentmesh-runs'));
    const { createCompactor, createAgentHandlers, createExecutor, createModelUse, openApps, quietAdk } =
      await importAdk();
    quietAdk(log);

    const db = await host.openDatabase();
    const use = createModelUse({ client: mesh.client(ModelUseService), log, outageMs: config.outageMs });
    const known = await openApps({ host, db, use }, config);
    const spans = host.config.ADK_WEB_UI ? await keepSpans(host) : undefined;
    const client = mesh.client(SessionsService);
    const sessions = spans?.noticing(client) ?? client;
    const histories = createHistoryCache(config.historyCacheBytes);
    const [owner, waiting, strays] = [`${hostname()}/${randomUUID()}`, new WaitingRuns(), new Strays()];
    const live = resources.use(new LiveRuns({ owner, bus, log }));
    const admission = createAdmission({ limits: config.admission, waiting });
    const compactor = createCompactor({ sessions: client, models: known.models, log });
    const executor = createExecutor({
      owner,
      sessions,
      ...clientsOf(mesh),
      log,
      findApp: (accountId, name) => known.apps.find(accountId, name),
      ...executionLimits(config),
      histories,
      live,
      onTurnEnded: (ended) => compactor.note(ended),
      onEnded: countEndings(host, (turn, ending) => makeRoom(context, turn, ending)),
      ...(spans === undefined ? {} : { around: spans.around }),
    });
    const watching = { live, watchers: createWatchers(), runWatchers: createRunWatchers() };
    const running = { owner, sessions, executor, strays, histories, waiting, admission, awaited: new Set<string>() };
    const own = { config, db, spans: spans?.log };
    const context: Context = { ...known, ...running, ...watching, ...surroundingsOf(host), ...own };

    mesh.serve(RunsService, createHandlers(context));
    mesh.serve(AgentsService, createAgentHandlers(context));
    mesh.serve(NoticesService, createNoticeHandlers(context));
    await follow(host, context);
    startJobs(host, context);
    gaugeRuns(host.metrics, context);

    return {
      ready: { agents: () => known.registry.check(), database: () => db.ping() },
      ...endingsOf({ executor, compactor, use, release: createReleaseLeases(context) }),
    };
  },
});

function surroundingsOf({ bus, log, draining, mesh }: Host<typeof runsSettings>) {
  return { bus, log, draining, savedKeys: mesh.client(SavedKeysService) };
}

function clientsOf(mesh: Host<typeof runsSettings>['mesh']) {
  return {
    memory: mesh.client(MemoryService),
    artifacts: mesh.client(ArtifactsService),
    countCost: createCountCost(mesh.client(ModelUseService)),
  };
}

interface Working {
  readonly executor: Executor;
  readonly compactor: Compactor;
  readonly use: ModelUse;
  readonly release: (leases: readonly HeldLease[]) => Promise<void>;
}

/** How the work of the service ends: soon, or when it is done. */
function endingsOf({ executor, compactor, use, release }: Working) {
  return {
    drain: async (leftMs: number) => {
      await release(await executor.drain(Math.max(leftMs - closingMs, 0)));
      compactor.stop();
      await use.flush(reportMs);
    },
    settle: async () => {
      await executor.idle();
      await compactor.idle();
      await use.settle();
    },
  };
}

function executionLimits({ limits, historyWindow, outageMs, answers }: RunsConfig) {
  return { limits, historyWindow, outageMs, answerSeconds: answers.timeoutSeconds };
}

/** The parts that import ADK, which takes 1.5 s and 117 MB: a process that only reads the service's settings does without. */
async function importAdk() {
  const [
    { createCompactor },
    { createAgentHandlers },
    { createExecutor },
    { createModelUse },
    { openApps },
    { quietAdk },
  ] = await Promise.all([
    import('./execution/compaction/compactor.ts'),
    import('./rpc/agents/index.ts'),
    import('./execution/attempt/executor.ts'),
    import('./models/index.ts'),
    import('./apps/registry/open-apps.ts'),
    import('./apps/registry/quiet-adk.ts'),
  ]);
  return { createCompactor, createAgentHandlers, createExecutor, createModelUse, openApps, quietAdk };
}

function countEndings(
  { metrics }: Host<typeof runsSettings>,
  then: (turn: Turn, ending: Ending) => void,
): (ending: Ending, turn: Turn) => void {
  const attempts = metrics.counter({
    name: 'runs_attempts_total',
    help: 'Attempts by how they ended for this process',
    labelNames: ['ending'],
  });
  return (ending, turn) => {
    attempts.inc({ ending });
    then(turn, ending);
  };
}
