import type { AddressPolicy } from '@agentmesh/lib/outbound';
import type { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Client } from '@connectrpc/connect';
import type { SealHeaders } from './apps/agents/header-values.ts';
import type { AgentApps } from './apps/agents/agent-apps.ts';
import type { CheckModel } from './apps/agents/checks/check-definition.ts';
import type { RunsConfig } from './config.ts';
import type { Running } from './execution/running.ts';
import type { Noticing } from './execution/notices/tell-watchers.ts';
import type { Watching } from './execution/watching/watch-events.ts';
import type { Watchers } from './execution/notices/watchers.ts';
import type { CheckTool } from './apps/entries/check-tools.ts';
import type { Registry } from './apps/registry/registry.ts';
import type { SpanLog } from './execution/tracing/span-log.ts';
import type { LogWriter } from './execution/tracing/log-writer.ts';
import type { TraceWriter } from './execution/tracing/trace-writer.ts';

/** Shared by the service's RPCs, consumers and jobs. */
export interface Context extends Running, Watching, Noticing {
  readonly config: RunsConfig;
  readonly registry: Registry;
  /** Apps of agents that are records. */
  readonly agentApps: AgentApps;
  readonly checkModel: CheckModel;
  /** Mistakes of an entry of `tools` of an agent that is a record. */
  readonly checkTool: CheckTool;
  /** Streams of notices. */
  readonly watchers: Watchers;
  readonly savedKeys: Client<typeof SavedKeysService>;
  readonly sealHeaders: SealHeaders;
  /** Addresses that a `model_api_base` without a key may have. */
  readonly apiBases: AddressPolicy;
  /** Spans of the latest runs; absent while the web UI is off. */
  readonly spans: SpanLog | undefined;
  /** Absent while no spans are stored. */
  readonly traces: Pick<TraceWriter, 'forget'> | undefined;
  /** Lines of runs. Absent with `traces`. */
  readonly runLines: Pick<LogWriter, 'add' | 'forget'> | undefined;
}
