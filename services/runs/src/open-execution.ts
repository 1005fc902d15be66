import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Host } from '@agentmesh/lib/service';
import { Turns } from '@agentmesh/lib/wait';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { SessionsService, type Turn } from '@agentmesh/proto/sessions/v1';
import type { RunsConfig, runsSettings } from './config.ts';
import { createAdmission } from './execution/admission/admission.ts';
import { WaitingRuns } from './execution/admission/waiting-runs.ts';
import type { Ending } from './execution/attempt/execution-deps.ts';
import { createHistoryCache } from './execution/attempt/history-cache.ts';
import { LiveRuns } from './execution/live/live-runs.ts';
import { createWatchers } from './execution/notices/watchers.ts';
import { Strays } from './execution/strays.ts';
import type { WatchedAttempts } from './execution/tracing/watch-attempts.ts';
import { createRunWatchers } from './execution/watching/run-watchers.ts';
import type { Adk } from './import-adk.ts';
import { createCountCost } from './models/use/count-cost.ts';

interface Surroundings {
  readonly config: RunsConfig;
  readonly adk: Adk;
  readonly known: Pick<Awaited<ReturnType<Adk['openApps']>>, 'apps' | 'models' | 'steps'>;
  /** Absent when the spans of runs are not wanted. */
  readonly watched: WatchedAttempts | undefined;
  readonly onEnded: (turn: Turn, ending: Ending) => void;
}

/**
 * Turns of an account to begin runs. Sixteen fill the commits that runs share: eight needed 0.52 transactions a run in place of 0.31. What has not come to its first model by then
 * waits for something else, and so does what leaves the process idle: models of apps in code tell nobody that they are asked.
 */
const toBegin = { ofLine: 16, longestMs: 250, longestIdleMs: 1, restFactor: 0.25 };
/** Turns of an account to repeat calls of models. */
const toRepeat = { ofLine: 1, longestMs: 250, restFactor: 1 };

/** The executor of this process, and what it shares with those who accept runs and watch them. */
export function openExecution(host: Host<typeof runsSettings>, { config, adk, known, watched, onEnded }: Surroundings) {
  const { log, mesh, bus, resources } = host;
  const client = mesh.client(SessionsService);
  const sessions = watched?.noticing(client) ?? client;
  const histories = createHistoryCache(config.historyCacheBytes);
  const [owner, waiting, strays] = [`${hostname()}/${randomUUID()}`, new WaitingRuns(), new Strays()];
  const live = resources.use(new LiveRuns({ owner, bus, log }));
  const admission = createAdmission({ limits: config.admission, waiting });
  const accountTurns = new Turns(toBegin);
  const compactor = adk.createCompactor({ sessions: client, models: known.models, log });
  const executor = adk.createExecutor({
    owner,
    sessions,
    steps: known.steps,
    repeats: new Turns(toRepeat),
    ...clientsOf(mesh),
    log,
    findApp: (accountId, name) => known.apps.find(accountId, name),
    ...executionLimits(config),
    histories,
    live,
    onTurnEnded: (ended) => compactor.note(ended),
    onEnded: countEndings(host, onEnded),
    ...(watched === undefined ? {} : { around: watched.around }),
  });
  const watching = { live, watchers: createWatchers(), runWatchers: createRunWatchers() };
  const running = {
    owner,
    sessions,
    executor,
    strays,
    histories,
    waiting,
    admission,
    accountTurns,
  };
  return { compactor, ...running, ...watching };
}

function clientsOf(mesh: Host<typeof runsSettings>['mesh']) {
  return {
    memory: mesh.client(MemoryService),
    artifacts: mesh.client(ArtifactsService),
    countCost: createCountCost(mesh.client(ModelUseService)),
  };
}

function executionLimits({ limits, historyWindow, outageMs, answers }: RunsConfig) {
  return { limits, historyWindow, outageMs, answerSeconds: answers.timeoutSeconds };
}

function countEndings(
  { metrics }: Host<typeof runsSettings>,
  then: (turn: Turn, ending: Ending) => void,
): (ending: Ending, turn: Turn) => void {
  const attempts = metrics.counter({
    name: 'agentmesh_runs_attempts_total',
    help: 'Attempts by how they ended for this process',
    labelNames: ['ending'],
  });
  return (ending, turn) => {
    attempts.inc({ ending });
    then(turn, ending);
  };
}
