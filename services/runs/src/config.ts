import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';
import { flag, positiveInteger, text, wholeNumber } from '@agentmesh/lib/service';
import { codeSettings, readCodeConfig } from './apps/code/host/code-settings.ts';
import { appNames } from './apps/registry/app-names.ts';
import type { AppsConfig } from './apps/registry/apps-config.ts';
import type { AdmissionLimits } from './execution/admission/admission.ts';
import { type AnswerPolicy, answerSettings, readAnswerPolicy } from './execution/answers/settings.ts';
import { admissionSettings, readAdmissionLimits } from './execution/admission/settings.ts';
import { modelSettings, readModelsConfig } from './models/settings.ts';
import { limitSettings, readRunLimits } from './execution/limits/settings.ts';
import { readToolsConfig, toolSettings } from './apps/tools/settings.ts';
import { readTraceConfig, type TraceConfig, traceSettings } from './execution/tracing/settings.ts';

/** The settings of the service. */
export const runsSettings = {
  ...modelSettings,
  ...toolSettings,
  ...codeSettings,
  ...traceSettings,
  ADK_WEB_UI: flag({ default: false, desc: 'keeps the spans of the latest runs for the web UI' }),
  AGENTS_DIR: text({
    default: undefined,
    desc: 'folder with one folder per app; unset: the samples of this repository',
  }),
  RUNS_REFUSE_MISTAKES: flag({
    default: false,
    desc: 'runs of an app whose changed files have mistakes fail with them, instead of using its last good version; each run looks for changed files first. `npm run dev` sets it',
  }),
  RUNS_APPS: appNames({ default: [], desc: 'apps that this process serves; empty: all' }),
  ...limitSettings,
  RUNS_HISTORY_WINDOW: positiveInteger({ default: 64, desc: 'most recent events that an agent sees' }),
  RUNS_HISTORY_CACHE_MB: wholeNumber({
    default: 16,
    desc: 'how much of the events of recent turns is kept, so that the next turns need not read them; 0: nothing',
  }),
  ...admissionSettings,
  ...answerSettings,
  RUNS_MAX_AGENTS: positiveInteger({ default: 1_000, desc: 'agents that an account can make under /api/agents' }),
  RUNS_ACCOUNT_MAX_AWAITED: positiveInteger({
    default: 10_000,
    desc: 'runs of an account that go on and whose ends become notifications',
  }),
  RUNS_OUTAGE_SECONDS: wholeNumber({
    default: 300,
    desc: 'how long running attempts go on while their events cannot be stored, because sessions or its database cannot be reached',
  }),
};

export interface RunsConfig extends AppsConfig {
  readonly historyWindow: number;
  readonly historyCacheBytes: number;
  readonly admission: AdmissionLimits;
  /** For apps that say nothing. */
  readonly answers: AnswerPolicy;
  readonly traces: TraceConfig;
  /** Most agents of an account. */
  readonly maxAgents: number;
  /** Most runs of an account whose ends become notices. */
  readonly maxAwaited: number;
}

type Cleaned = Parameters<typeof readModelsConfig>[0] &
  Parameters<typeof readToolsConfig>[0] &
  Parameters<typeof readCodeConfig>[0] &
  Parameters<typeof readAdmissionLimits>[0] &
  Parameters<typeof readRunLimits>[0] &
  Parameters<typeof readAnswerPolicy>[0] &
  Parameters<typeof readTraceConfig>[0] & {
    readonly AGENTS_DIR: string | undefined;
    readonly RUNS_APPS: string[];
    readonly RUNS_REFUSE_MISTAKES: boolean;
    readonly RUNS_HISTORY_WINDOW: number;
    readonly RUNS_HISTORY_CACHE_MB: number;
    readonly RUNS_MAX_AGENTS: number;
    readonly RUNS_ACCOUNT_MAX_AWAITED: number;
    readonly RUNS_OUTAGE_SECONDS: number;
  };

const samples = fileURLToPath(new URL('../../../agents', import.meta.url));

/** The service's configuration from its cleaned settings. */
export function readRunsConfig(settings: Cleaned): RunsConfig {
  const traces = readTraceConfig(settings);
  return {
    agentsDir: settings.AGENTS_DIR === undefined ? samples : resolve(settings.AGENTS_DIR),
    apps: settings.RUNS_APPS,
    refusesMistakes: settings.RUNS_REFUSE_MISTAKES,
    limits: readRunLimits(settings),
    historyWindow: settings.RUNS_HISTORY_WINDOW,
    historyCacheBytes: settings.RUNS_HISTORY_CACHE_MB * 1024 * 1024,
    admission: readAdmissionLimits(settings),
    answers: readAnswerPolicy(settings),
    traces,
    maxAgents: settings.RUNS_MAX_AGENTS,
    maxAwaited: settings.RUNS_ACCOUNT_MAX_AWAITED,
    outageMs: settings.RUNS_OUTAGE_SECONDS * 1000,
    models: readModelsConfig(settings),
    tools: readToolsConfig(settings),
    code: { ...readCodeConfig(settings, process.env), isTraced: traces.isWatched },
  };
}
