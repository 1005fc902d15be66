import type { Bus } from '@agentmesh/lib/bus';
import type { AddressPolicy } from '@agentmesh/lib/outbound';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { AgentApps } from './apps/agents/agent-apps.ts';
import type { CheckModel } from './apps/agents/checks/check-definition.ts';
import type { RunsConfig } from './config.ts';
import type { Executor } from './execution/attempt/executor.ts';
import type { Admission } from './execution/admission/admission.ts';
import type { LiveRuns } from './execution/live/live-runs.ts';
import type { WaitingRuns } from './execution/admission/waiting-runs.ts';
import type { HistoryCache } from './execution/attempt/history-cache.ts';
import type { Watchers } from './execution/notices/watchers.ts';
import type { RunWatchers } from './execution/watching/run-watchers.ts';
import type { CheckTool } from './apps/entries/check-tools.ts';
import type { AppFinder } from './apps/registry/app-finder.ts';
import type { Registry } from './apps/registry/registry.ts';
import type { SpanLog } from './execution/tracing/span-log.ts';

/** Shared by the service's RPCs, consumers and jobs. */
export interface Context {
  readonly config: RunsConfig;
  readonly log: Logger;
  /** Id of this process as an executor, for the sessions service. */
  readonly owner: string;
  readonly registry: Registry;
  /** All apps of an account. */
  readonly apps: AppFinder;
  /** Apps of agents that are records. */
  readonly agentApps: AgentApps;
  readonly checkModel: CheckModel;
  /** Mistakes of an entry of `tools` of an agent that is a record. */
  readonly checkTool: CheckTool;
  /** Runs that this process has accepted and whose end becomes a notice: `<account>/<invocation>`. */
  readonly awaited: Set<string>;
  /** Streams of notices. */
  readonly watchers: Watchers;
  /** Streams of runs. */
  readonly runWatchers: RunWatchers;
  readonly savedKeys: Client<typeof SavedKeysService>;
  /** Addresses that a `model_api_base` without a key may have. */
  readonly apiBases: AddressPolicy;
  readonly db: Database;
  readonly bus: Bus;
  readonly sessions: Client<typeof SessionsService>;
  readonly executor: Executor;
  readonly histories: HistoryCache;
  readonly waiting: WaitingRuns;
  /** Partial events of runs for viewers, wherever the runs execute. */
  readonly live: LiveRuns;
  readonly admission: Admission;
  /** Spans of the latest runs; absent while the web UI is off. */
  readonly spans: SpanLog | undefined;
  /** Aborts when the process takes no new runs. */
  readonly draining: AbortSignal;
}
