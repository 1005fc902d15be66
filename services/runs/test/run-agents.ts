import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { testNode } from '@agentmesh/lib/rpc/testing';
import type { BaseAgent } from '@google/adk/core';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import type { JsonObject } from '@agentmesh/proto/event';
import { type SessionKey, SessionKeySchema, SessionsService } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { createExecutor, type Executor } from '../src/execution/attempt/executor.ts';
import { openAgents } from '../src/apps/turns/open-agents.ts';
import { createHistoryCache } from '../src/execution/attempt/history-cache.ts';
import type { RunLimits } from '../src/apps/definition/settings/run-limits.ts';
import { LiveRuns } from '../src/execution/live/live-runs.ts';
import { responsesOf } from './responses-of.ts';
import { createViewer } from '../src/execution/viewer.ts';
import type { CountCost } from '../src/models/use/count-cost.ts';
import type { App } from '../src/apps/building/app.ts';
import { appVersion } from '../src/apps/building/app-version.ts';
import { usualSettings } from '../src/apps/definition/settings/app-settings.ts';
import { quietAdk } from '../src/apps/registry/quiet-adk.ts';
import { InMemorySessions } from './in-memory-sessions.ts';
import { encode } from './stored-session.ts';

/** Time that attempts go on without a lease. */
export const outageMs = 60_000;
export const log = createLogger({ level: 'silent', name: 'test' });

/** The responses that a viewer of a run was sent. */
export interface Seen {
  readonly events: Record<string, unknown>[];
  failure?: { type: string; message: string };
}

/** An executor of one agent over in-memory sessions, reached through a mesh. */
export interface AgentBench {
  readonly app: App;
  readonly sessions: InMemorySessions;
  readonly executor: Executor;
  readonly client: Client<typeof SessionsService>;
  readonly key: SessionKey;
  /** Begins a turn and executes it; resolves when the attempt is over. */
  run(options?: RunOptions): Promise<Seen>;
  /** Begins a turn and executes it; `soFar` grows, and `seen` resolves when the viewer is done. */
  begin(options?: RunOptions): Promise<{ invocationId: string; soFar: Seen; seen: Promise<Seen> }>;
}

export interface RunOptions {
  readonly text?: string;
  readonly message?: object;
  readonly streaming?: boolean;
  readonly invocationId?: string;
  readonly customMetadata?: object;
}

export function createAgentBench(root: BaseAgent, options?: BenchOptions): AgentBench {
  quietAdk(log);
  return createAppBench(
    {
      name: 'app',
      source: '',
      rootName: root.name,
      description: '',
      language: 'yaml',
      settings: usualSettings,
      open: (options) => openAgents(root, options),
      graphJson: new Uint8Array(0),
    },
    options,
  );
}

interface BenchOptions {
  readonly state?: JsonObject;
  readonly live?: LiveRuns;
  readonly limits?: Partial<RunLimits>;
  /** See ExecutionDeps. */
  readonly countCost?: CountCost;
  /** Instead of the app at once. */
  readonly findApp?: () => App | Promise<App>;
}

/** The live partial events of a process of its own. */
export function liveOf(owner: string, bus = createLocalBus()): LiveRuns {
  return new LiveRuns({ owner, bus, log });
}

/** An executor of one app. */
export function createAppBench(
  app: App,
  { state = {}, live = liveOf('me'), limits = {}, findApp = () => app, countCost }: BenchOptions = {},
): AgentBench {
  const sessions = new InMemorySessions();
  const key = create(SessionKeySchema, { accountId: 'a', appName: 'app', userId: 'u', sessionId: 's' });
  sessions.create(key, state);
  const mesh = testNode({ urls: {}, log, metrics: createMetrics({ processMetrics: false }) });
  mesh.serve(SessionsService, sessions.service);
  const client = mesh.client(SessionsService);
  const histories = createHistoryCache(1_000_000);
  const executor = createExecutor({
    owner: 'me',
    sessions: client,
    log,
    findApp: async () => ({ ...(await findApp()), version: appVersion({ version: '1' }) }),
    limits: { seconds: 3_600, modelCalls: 5, toolCalls: Infinity, tokens: Infinity, cost: Infinity, ...limits },
    answerSeconds: 0,
    historyWindow: 64,
    outageMs,
    histories,
    live,
    ...(countCost && { countCost }),
  });

  const begin: AgentBench['begin'] = async ({ text = 'hello', message, streaming = false, ...options } = {}) => {
    const known = histories.get(key);
    const { invocationId, turn } = await client.beginTurn({
      session: key,
      invocationId: options.invocationId ?? '',
      messageJson: encode(message ?? { role: 'user', parts: [{ text }] }),
      customMetadataJson: options.customMetadata === undefined ? new Uint8Array(0) : encode(options.customMetadata),
      owner: 'me',
      window: 64,
      streaming,
      ...(known && { known: { sessionPk: known.sessionPk, lastSeq: known.lastSeq } }),
    });
    if (turn === undefined) throw new Error('the turn is taken');
    const viewer = createViewer(streaming);
    executor.start(turn, { viewer, known });
    const soFar: Seen = { events: [] };
    return { invocationId, soFar, seen: watch(viewer, soFar) };
  };
  return {
    app,
    sessions,
    executor,
    client,
    key,
    begin,
    async run(options) {
      const { seen } = await begin(options);
      await executor.idle();
      return seen;
    },
  };
}

function parse(json: Uint8Array | undefined): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(json)) as Record<string, unknown>;
}

async function watch(viewer: ReturnType<typeof createViewer>, seen: Seen): Promise<Seen> {
  for await (const { kind } of responsesOf(viewer)) {
    if (kind?.case === 'event') seen.events.push(parse(kind.value.json));
    if (kind?.case === 'failure') seen.failure = { type: kind.value.type ?? '', message: kind.value.message ?? '' };
  }
  return seen;
}
