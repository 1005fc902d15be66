import { setTimeout as sleep } from 'node:timers/promises';
import { createDisturbances, findNatsServer, type TestNats } from '@agentmesh/lib/bus/testing';
import { openPool, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';
import { natsEnvironmentsOf, startDeployedNats } from '../nats.ts';
import { type Load, loadMesh, observation } from './nats-load.ts';

const server = await findNatsServer();
const isFull = process.env.VERIFY === 'full';
const seed = Number(process.env.VERIFY_SEED ?? 1);
const disturbances = isFull ? 100 : 3;

const resources = new AsyncDisposableStack();
let nats: TestNats;
let mesh: TestMesh;
let pool: pg.Pool;

beforeAll(async () => {
  if (server === undefined) return;
  const { url } = resources.use(await testDatabaseUrl());
  nats = resources.use(await startDeployedNats(server));
  const options = { databaseUrl: url, ownEnv: natsEnvironmentsOf(nats), env: { RATE_LIMIT_ENABLED: 'false' } };
  mesh = resources.use(await startMesh({ mode: isFull ? 'separate' : 'all', ...options }));
  pool = resources.adopt(openPool(url, 4), (it) => it.end());
  await pool.query(observation);
});
afterAll(() => resources.disposeAsync());

const kindsOf = (kinds: readonly string[]): string =>
  [...new Set(kinds)].map((kind) => `${kind} ${kinds.filter((it) => it === kind).length}`).join(', ');

/** Loads the mesh and disturbs its NATS server meanwhile. */
async function disturbed(): Promise<{ load: Load; kinds: string[] }> {
  const ending = new AbortController();
  const loading = loadMesh({ url: mesh.url, pool, sessions: isFull ? 6 : 2, signal: ending.signal });
  const disturb = createDisturbances(nats, seed);
  const kinds: string[] = [];
  while (kinds.length < disturbances) {
    await sleep(400);
    kinds.push(await disturb());
  }
  ending.abort();
  return { load: await loading, kinds };
}

interface Receipt {
  readonly status: string;
  readonly services: { readonly service: string; readonly counts: Record<string, number> }[];
}

/** Rows that sessions has erased for each receipt that is complete. */
async function erased(paths: readonly string[]): Promise<unknown[]> {
  const caller = new Caller(mesh.url);
  const receipts = await Promise.all(paths.map(async (path) => (await caller.request<Receipt>('GET', path)).body));
  return receipts
    .filter(({ status }) => status === 'complete')
    .map(({ services }) => services.find(({ service }) => service === 'sessions')?.counts);
}

const acted = async () =>
  (await pool.query<{ log: string; status: string }>('select log, status from acted order by place')).rows;

describe.skipIf(server === undefined)('the mesh over a NATS server that is killed, frozen, wiped and restarted', () => {
  test(`acts on every end of a run, deletion and revoked token, once and in order (${disturbances} disturbances, seed ${seed})`, {
    timeout: isFull ? 900_000 : 180_000,
  }, async () => {
    const started = performance.now();
    const { load, kinds } = await disturbed();
    expect(load.failures).toEqual([]);
    await expect
      .poll(async () => (await acted()).length, { timeout: 120_000 })
      .toBeGreaterThanOrEqual(load.runs.length);
    const logs = await acted();
    expect(logs.map(({ log }) => log).toSorted()).toEqual(load.runs.toSorted());
    expect(logs.filter(({ status }) => status !== '1 completed')).toEqual([]);
    for (const session of new Set(load.runs.map((log) => log.split('/')[0]))) {
      const inSession = (all: readonly string[]) => all.filter((log) => log.startsWith(`${session}/`));
      expect(inSession(logs.map(({ log }) => log))).toEqual(inSession(load.runs));
    }
    const everything = load.receipts.map(() => ({ sessions: 1, events: 2, runs: 1, state: 0 }));
    await expect.poll(() => erased(load.receipts), { timeout: 120_000, interval: 500 }).toEqual(everything);
    expect(mesh.lines.filter((line) => line.includes('dead letter'))).toEqual([]);
    report({ load, kinds, seconds: (performance.now() - started) / 1_000 });
  });
});

function report({ load, kinds, seconds }: { load: Load; kinds: string[]; seconds: number }): void {
  if (!isFull) return;
  const { runs, receipts, revocations, runMs } = load;
  const most = (values: readonly number[]) => Math.round(Math.max(...values));
  process.stdout.write(
    `seed ${seed}: ${kinds.length} disturbances (${kindsOf(kinds)}) in ${Math.round(seconds)} s\n` +
      `acted on once: ${runs.length} ends of runs, ${receipts.length} deletions, ${revocations.length} revoked tokens\n` +
      `slowest run ${most(runMs)} ms, slowest refusal of a revoked token ${most(revocations)} ms\n`,
  );
}
