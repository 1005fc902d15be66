import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { type Host, type Running, SettingsError, startJob } from '@agentmesh/lib/service';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { RunEndedSchema, SessionsService, TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import { readRunsConfig, type RunsConfig, type runsSettings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import { onRunEnded } from './consumers/on-run-ended.ts';
import { onTurnGranted } from './consumers/on-turn-granted.ts';
import type { Context } from './context.ts';
import type { Ending } from './execution/execute-attempt.ts';
import { createHistoryCache } from './execution/history-cache.ts';
import { createExecutor } from './execution/executor.ts';
import { createWaitingViewers } from './execution/waiting-viewers.ts';
import { createClaimDueRuns } from './jobs/claim-due-runs.ts';
import { createRenewLeases } from './jobs/renew-leases.ts';
import { createModels } from './models/index.ts';
import { createGuardedFetch } from './outbound/index.ts';
import { quietAdk } from './quiet-adk.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import { watchApps } from './registry/watch-apps.ts';
import { createHandlers } from './rpc/index.ts';
import { keepSpans } from './tracing/keep-spans.ts';

type RunsHost = Host<typeof runsSettings>;

export async function startRuns(host: RunsHost): Promise<Running> {
  const { log, mesh, bus, resources, draining } = host;
  const config = readRunsConfig(host.config);
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
  const context: Context = {
    config,
    log,
    owner: randomUUID(),
    registry,
    sessions,
    executor,
    histories,
    waiting,
    spans: spans?.log,
    draining,
  };

  mesh.serve(RunsService, createHandlers(context));
  resources.defer(await bus.subscribe(TurnGrantedSchema, onTurnGranted(context)));
  resources.defer(await bus.subscribe(RunEndedSchema, onRunEnded(context)));
  resources.defer(await bus.subscribe(AccountDeletedSchema, onAccountDeleted(context)));
  startJobs(host, context);
  draining.addEventListener('abort', () => waiting.failAll(), { once: true });

  return {
    ready: { agents: () => registry.check() },
    drain: () => executor.drain(config.drainMs),
    settle: () => executor.idle(),
  };
}

/** Claims end with the drain; leases are renewed until all is closed, for what drains still holds its turns. */
function startJobs({ log, draining, resources }: RunsHost, context: Context): void {
  resources.use(startJob(createClaimDueRuns(context), { log, draining }));
  resources.use(startJob(createRenewLeases(context), { log }));
}

/** The applications, watched for changes. */
async function openRegistry({ config, log, resources }: RunsHost, runs: RunsConfig): Promise<Registry> {
  const { agentsDir: dir, maxModelCalls } = runs;
  if (config.AGENTS_DIR !== undefined) await requireFolder('AGENTS_DIR', dir);
  const models = createModels(runs.models, { onFailure: (failure) => log.warn(failure, 'model call failed') });
  const toolDeps = { fetch: createGuardedFetch({ allow: runs.tools.allow }) };
  const registry = await createRegistry({ dir, log, models, toolDeps, maxModelCalls });
  resources.use(await watchApps({ dir, registry, log }));
  return registry;
}

function countEndings({ metrics }: RunsHost): (ending: Ending) => void {
  const attempts = metrics.counter({
    name: 'runs_attempts_total',
    help: 'Attempts by how they ended for this process',
    labelNames: ['ending'],
  });
  return (ending) => attempts.inc({ ending });
}

async function requireFolder(variable: string, dir: string): Promise<void> {
  try {
    await readdir(dir);
  } catch {
    throw new SettingsError(new Map([[variable, `names a folder that cannot be read: ${dir}`]]));
  }
}
