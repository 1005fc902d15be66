import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { findLibfaketime } from '../programs/libfaketime.ts';
import { startMesh } from '../mesh.ts';

interface RunJson {
  readonly createTime: number;
  readonly customMetadata: { readonly scheduled_at: string };
}

interface Replica {
  readonly url: string;
  readonly ops: string;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

const libfaketime = await findLibfaketime();
const resources = new AsyncDisposableStack();
let right: Replica;
/** Its clock is set while it runs. */
let wrong: Replica;
let caller: Caller;
let clockFile: string;

describe.skipIf(libfaketime === undefined)('beside a replica', () => {
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clock-'));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    clockFile = join(folder, 'offset');
    await writeFile(clockFile, '+0\n');
    const database = resources.use(await testDatabaseUrl());
    const start = async (clock: Record<string, string>): Promise<Replica> => {
      const [port] = await freePorts(1);
      const env = { OPS_PORT: String(port), SCHEDULES_MIN_SECONDS: '1', ...clock };
      const mesh = resources.use(await startMesh({ mode: 'all', databaseUrl: database.url, env }));
      return {
        url: mesh.url,
        ops: `http://127.0.0.1:${port}`,
        signal: (signal) => mesh.signal('all', signal),
      };
    };
    right = await start({});
    wrong = await start(clockOf(libfaketime ?? ''));
    caller = await newAccount(right.url);
  });
  afterAll(() => resources.disposeAsync());

  test.each([3_600, 45])(
    'whose clock is %i s off, and says so, each tick of a schedule runs once, in time and not before',
    async (seconds) => {
      await setClock(seconds);
      const userId = `user-at-${seconds}`;
      const newMessage = { role: 'user', parts: [{ text: 'tick' }] };
      const body = { cron: '* * * * * *', timezone: 'UTC', appName: 'echo', userId, newMessage };
      const made = await caller.request<{ id: string }>('POST', '/api/schedules', body);
      // Either may be the first at every tick, so each of them is alone for some.
      await tickWithout(right, wrong);
      await tickWithout(wrong, right);
      const paused = await caller.request('POST', `/api/schedules/${made.body.id}/pause`);
      expect(paused.body).toMatchObject({ missed_ticks: 0, last_run: { error: null } });
      const runs = (await caller.request<RunJson[]>('GET', `/runs?user=${userId}&limit=500`)).body;
      const ticks = runs.map((run) => Date.parse(run.customMetadata.scheduled_at) / 1_000);
      expect(ticks.length).toBeGreaterThan(1);
      expect(new Set(ticks).size).toBe(ticks.length);
      // No second between the first tick and the last is left out.
      expect(Math.max(...ticks) - Math.min(...ticks)).toBe(ticks.length - 1);
      const late = runs.map((run, index) => run.createTime - (ticks[index] ?? 0));
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...late)).toBeLessThan(40);
    },
  );
});

/** The process reads how far its clock is off from a file, every second. Only its wall clock is. */
function clockOf(library: string): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Resolves when the process with the wrong clock has seen that, and tells it. */
async function setClock(seconds: number): Promise<void> {
  await writeFile(clockFile, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  const ahead = async () => Math.round(await metricOf(wrong, 'agentmesh_webhooks_clock_ahead_seconds'));
  await expect.poll(async () => Math.abs((await ahead()) - seconds), { timeout: 30_000 }).toBeLessThan(3);
  expect([await isReady(right), await isReady(wrong)]).toEqual([true, false]);
  expect(Math.abs(await metricOf(right, 'agentmesh_webhooks_clock_ahead_seconds'))).toBeLessThan(3);
}

async function isReady({ ops }: Replica): Promise<boolean> {
  const { checks } = (await (await fetch(`${ops}/readyz`)).json()) as { checks: Record<string, string> };
  return checks['webhooks.clock'] === 'ok';
}

/** Stops a replica until the other one has started two more ticks. */
async function tickWithout(stopped: Replica, acting: Replica): Promise<void> {
  const started = () => metricOf(acting, 'agentmesh_webhooks_schedule_ticks_total{outcome="started"}');
  stopped.signal('SIGSTOP');
  try {
    const before = await started();
    await expect.poll(started, { timeout: 45_000 }).toBeGreaterThan(before + 1);
  } finally {
    stopped.signal('SIGCONT');
  }
}

/** Value of a metric; 0 until it was counted. */
async function metricOf({ ops }: Replica, name: string): Promise<number> {
  const lines = (await (await fetch(`${ops}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0);
}
