import { openJobs } from '@agentmesh/lib/jobs';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { MeshError } from '@agentmesh/lib/rpc';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import type { StartRunRequest } from '@agentmesh/proto/runs/v1';
import type { AddNoticeRequest } from '@agentmesh/proto/runs/v1/notices';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { Client } from '@connectrpc/connect';
import { createVirtualClock, type VirtualClock } from '../../../../test/fakes/upstream/index.ts';
import { createScheduleHandlers } from '../../src/rpc/schedules/index.ts';
import type { Schedules } from '../../src/schedules/schedules.ts';
import { pauseTeller, tellPaused } from '../../src/schedules/tell-paused.ts';
import { createTicker, type Ticker } from '../../src/schedules/ticker.ts';
import { webhooks } from '../../src/index.ts';

export interface TestSchedules extends AsyncDisposable {
  readonly client: Client<typeof SchedulesService>;
  readonly clock: VirtualClock;
  readonly databaseUrl: string;
  readonly db: Database;
  /** Runs that were started, each once. */
  readonly runs: StartRunRequest[];
  /** Requests to start a run, with repetitions. */
  readonly requests: StartRunRequest[];
  readonly sessions: Set<string>;
  /** Notices for owners by their keys. */
  readonly notices: Map<string, AddNoticeRequest>;
  /** Called before a run is started. It may throw. */
  beforeStart: (request: StartRunRequest) => void | Promise<void>;
  /** Called when a run is durable, before its caller knows. It may throw. */
  afterStart: (request: StartRunRequest) => void | Promise<void>;
  /** Called before a notice is stored. */
  beforeNotice: () => void | Promise<void>;
  /** A replica. */
  ticker(): Ticker;
  /** One look of one replica. */
  look(): Promise<void>;
  /** Moves the clock second by second, with a look after each. */
  live(seconds: number): Promise<void>;
  /** Ticks of a schedule whose runs were started. */
  ticksOf(id: string): string[];
}

/** Schedules without their process: a new database, a clock that only moves when told, and runs in memory that are started once for each key. */
export async function openSchedules({ minSeconds = 60, runsPerHour = 6_000 } = {}): Promise<TestSchedules> {
  await using resources = new AsyncDisposableStack();
  const clock = createVirtualClock({ frozenAt: new Date('2026-11-22T00:00:00Z') });
  const { url } = resources.use(await preparedDatabase(webhooks));
  const log = createLogger({ level: 'silent', name: 'webhooks' });
  const migrations = new URL('../../migrations/', import.meta.url);
  const db = resources.use(await openDatabase({ service: 'webhooks', url, poolSize: 8, migrations, jobs: true }, log));
  const metrics = createMetrics({ processMetrics: false });
  const jobs = resources.use(await openJobs({ service: 'webhooks', db, tasks: [tellPaused], log, metrics }));
  const opened = resources.move();
  const test: TestSchedules = {
    client: undefined as never,
    clock,
    databaseUrl: url,
    db,
    runs: [],
    requests: [],
    sessions: new Set(),
    notices: new Map(),
    beforeStart: () => undefined,
    afterStart: () => undefined,
    beforeNotice: () => undefined,
    ticker: () => createTicker(schedules),
    look: async () => {
      await createTicker(schedules).settle();
      await jobs.settle();
    },
    live: async (seconds) => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1_000);
        await createTicker(schedules).settle();
      }
    },
    ticksOf: (id) =>
      test.runs
        .filter(({ idempotencyKey }) => idempotencyKey.startsWith(`schedule:${id}:`))
        .map(({ idempotencyKey }) => idempotencyKey.slice(`schedule:${id}:`.length)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  const schedules: Schedules = {
    db,
    jobs,
    log,
    clock,
    draining: new AbortController().signal,
    wake: { wake: () => undefined },
    minSeconds,
    runsPerHour,
    runs: { startRun: async (request: StartRunRequest) => startRun(test, request) } as never,
    sessions: {
      getRun: async (request: { invocationId: string }) => getRun(test, request.invocationId),
    } as never,
    notices: { addNotice: async (notice: AddNoticeRequest) => addNotice(test, notice) } as never,
    countTicks: () => undefined,
  };
  const mesh = testNode({ urls: {}, log, metrics });
  await jobs.work(tellPaused, pauseTeller(schedules));
  mesh.serve(SchedulesService, createScheduleHandlers(schedules));
  return Object.assign(test, { client: mesh.client(SchedulesService) });
}

async function startRun(test: TestSchedules, request: StartRunRequest): Promise<object> {
  const { sessionId = '' } = request.session ?? {};
  test.requests.push(request);
  await test.beforeStart(request);
  if (!test.sessions.has(sessionId) && !request.createsSession) {
    throw new MeshError('not_found', 'session_not_found', 'There is no such session.');
  }
  test.sessions.add(sessionId);
  const known = test.runs.findIndex(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey);
  if (known < 0) test.runs.push(request);
  await test.afterStart(request);
  return { invocationId: request.invocationId, already: known >= 0 };
}

async function addNotice(test: TestSchedules, notice: AddNoticeRequest): Promise<void> {
  await test.beforeNotice();
  test.notices.set(notice.key, notice);
}

function getRun({ runs }: TestSchedules, id: string): object {
  const run = runs.find(({ invocationId }) => invocationId === id);
  if (run === undefined) throw new MeshError('not_found', 'run_not_found', 'There is no such run.');
  const { appName = '', userId = '', sessionId = '' } = run.session ?? {};
  return { run: { invocationId: id, appName, userId, sessionId } };
}
