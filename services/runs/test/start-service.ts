import type { Bus } from '@agentmesh/lib/bus';
import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { parseSettings } from '@agentmesh/lib/service';
import { createMetrics } from '@agentmesh/lib/telemetry';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { type SessionKey, SessionKeySchema, SessionsService, TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { runs } from '../src/index.ts';
import { InMemorySessions } from './in-memory-sessions.ts';
import { openTestDatabase } from './open-test-database.ts';
import { log } from './run-agents.ts';

export interface ServiceBench extends AsyncDisposable {
  readonly client: Client<typeof RunsService>;
  readonly agents: Client<typeof AgentsService>;
  readonly sessions: InMemorySessions;
  /** The sessions service as another process calls it. */
  readonly ledger: Client<typeof SessionsService>;
  readonly key: SessionKey;
  readonly bus: Bus;
  /** Starts to drain; resolves when the running attempts are over. */
  drain(): Promise<void>;
  settle(): Promise<void>;
}

/** Time in milliseconds for the end of attempts, and of the service behind them. */
const drainMs = 10_000;

/** The setting for all sample apps. */
export const everyApp = { RUNS_APPS: '' };

/** The whole service beside an in-memory sessions service, with the sample app `echo`: one in code takes a second to load. */
export async function startService({ hints = true, env = {} } = {}): Promise<ServiceBench> {
  const metrics = createMetrics({ processMetrics: false });
  const mesh = testNode({ urls: {}, log, metrics });
  const sessions = new InMemorySessions();
  mesh.serve(SessionsService, sessions.service);
  const bus = createLocalBus();
  sessions.onGranted = (owner, session, invocationId) => {
    if (hints) void bus.publish(TurnGrantedSchema, { owner, session, invocationId });
  };
  const key = create(SessionKeySchema, { accountId: 'a', appName: 'echo', userId: 'u', sessionId: 's' });
  sessions.create(key);
  const draining = new AbortController();
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const running = await runs.start({
    config: parseSettings(runs.settings, { RUNS_APPS: 'echo', ...env }),
    log,
    metrics,
    mesh: mesh.as('runs'),
    bus,
    dataDir: '/nonexistent',
    resources,
    draining: draining.signal,
    openDatabase: () => Promise.resolve(database.db),
  });
  return {
    client: mesh.client(RunsService),
    agents: mesh.client(AgentsService),
    sessions,
    ledger: mesh.client(SessionsService),
    key,
    bus,
    drain: async () => {
      draining.abort();
      await running.drain?.(drainMs);
    },
    settle: async () => running.settle?.(),
    async [Symbol.asyncDispose]() {
      draining.abort();
      await running.drain?.(drainMs);
      await resources.disposeAsync();
    },
  };
}
