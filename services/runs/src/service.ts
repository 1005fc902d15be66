import { randomUUID } from 'node:crypto';
import { defineService, type Host, startJob } from '@agentmesh/lib/service';
import { startSpanWatching } from '@agentmesh/lib/telemetry';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { RunEndedSchema, SessionsService, TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import { readRunsConfig, runsSettings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import { onRunEnded } from './consumers/on-run-ended.ts';
import { onTurnGranted } from './consumers/on-turn-granted.ts';
import type { Context } from './context.ts';
import type { Ending } from './execution/execute-attempt.ts';
import { createHistoryCache } from './execution/history/history-cache.ts';
import { createWaitingViewers } from './execution/viewers/waiting-viewers.ts';
import { createClaimDueRuns } from './jobs/claim-due-runs.ts';
import { createRenewLeases } from './jobs/renew-leases.ts';
import { createHandlers } from './rpc/index.ts';
import { keepSpans } from './tracing/keep-spans.ts';

/** Applications and their execution. */
export const runs = defineService({
  name: 'runs',
  settings: runsSettings,
  async start(host) {
    const { log, mesh, bus, resources, draining } = host;
    const config = readRunsConfig(host.config);
    // Must run before ADK is imported, because ADK gets its tracer only at import.
    if (host.config.ADK_WEB_UI) resources.use(await startSpanWatching('agentmesh-runs'));
    const { createExecutor, openRegistry, quietAdk } = await importAdk();
    quietAdk(log);

    const registry = await openRegistry(host, config);
    const spans = host.config.ADK_WEB_UI ? await keepSpans(host) : undefined;
    const client = mesh.client(SessionsService);
    const sessions = spans?.noticing(client) ?? client;
    const histories = createHistoryCache(config.historyCacheBytes);
    const executor = createExecutor({
      sessions,
      memory: mesh.client(MemoryService),
      artifacts: mesh.client(ArtifactsService),
      log,
      findApp: (name) => registry.get(name),
      maxModelCalls: config.maxModelCalls,
      historyWindow: config.historyWindow,
      histories,
      onEnded: countEndings(host),
      ...(spans === undefined ? {} : { around: spans.around }),
    });
    const waiting = createWaitingViewers();
    const owner = randomUUID();
    const known = { config, log, owner, registry, sessions, executor, histories, waiting };
    const context: Context = { ...known, spans: spans?.log, draining };

    mesh.serve(RunsService, createHandlers(context));
    resources.defer(await bus.subscribe(TurnGrantedSchema, onTurnGranted(context)));
    resources.defer(await bus.subscribe(RunEndedSchema, onRunEnded(context)));
    resources.defer(await bus.subscribe(AccountDeletedSchema, onAccountDeleted(context)));
    resources.use(startJob(createClaimDueRuns(context), { log, draining }));
    // Not stopped by the drain: runs that are finished then still need their leases.
    resources.use(startJob(createRenewLeases(context), { log }));
    draining.addEventListener('abort', () => waiting.failAll(), { once: true });

    return {
      ready: { agents: () => registry.check() },
      drain: () => executor.drain(config.drainMs),
      settle: () => executor.idle(),
    };
  },
});

/** The parts that import ADK, which takes 1.5 s and 117 MB: a process that only reads the service's settings does without. */
async function importAdk() {
  const [{ createExecutor }, { openRegistry }, { quietAdk }] = await Promise.all([
    import('./execution/executor.ts'),
    import('./registry/open-registry.ts'),
    import('./quiet-adk.ts'),
  ]);
  return { createExecutor, openRegistry, quietAdk };
}

function countEndings({ metrics }: Host<typeof runsSettings>): (ending: Ending) => void {
  const attempts = metrics.counter({
    name: 'runs_attempts_total',
    help: 'Attempts by how they ended for this process',
    labelNames: ['ending'],
  });
  return (ending) => attempts.inc({ ending });
}
