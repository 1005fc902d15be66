import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, type SessionJson } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';
import { type CountedPostgres, countedPostgres } from './counted-postgres.ts';
import type { Made } from './count-made.ts';

// Counts, not times: they are the same on every machine. `npm run bench -- guard` tells the times.

const runs = 100;
/** The least of so many loads counts: what timers do meanwhile comes to it, the more the slower the machine is. */
const loads = 3;
/** Most of each kind for one run. Promises and timers have room for the work of timers meanwhile. Lower a limit when a run costs less. */
const most = {
  statements: 2,
  notifies: 1,
  walBytes: 3_150,
  textBytes: 3_800,
  parameters: 32,
  promises: 208,
  timers: 20,
  abortControllers: 1.4,
  messages: 1.5,
};
const kinds = Object.keys(most) as (keyof typeof most)[];
/** Statements of each second that a mesh without work may send, whose bus is PostgreSQL: 5 to 8 were counted. The gateway reads changes of accounts 2.5 times a second for up to 70 seconds after a request. */
const mostIdle = 13;
const idleSeconds = 5;
/** Packages that only some calls use, and that are loaded with the first of them. */
const loadedLate = [
  '@a2a-js/sdk',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai',
  '@mikro-orm/core',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@opentelemetry/otlp-transformer',
];
const countsFile = join(tmpdir(), `agentmesh-made-${process.pid}.json`);
const resources = new AsyncDisposableStack();
let database: CountedPostgres;
let mesh: TestMesh;

beforeAll(async () => {
  resources.defer(() => rm(countsFile, { force: true }));
  database = resources.use(await countedPostgres());
  const env = {
    NODE_OPTIONS: `--import=${new URL('count-made.ts', import.meta.url).href}`,
    COUNTS_FILE: countsFile,
    RATE_LIMIT_ENABLED: 'false',
  };
  // The mesh runs from its sources: files that a bundle loads have no names of packages.
  const program = 'main.ts';
  mesh = resources.use(await startMesh({ mode: 'all', program, databaseUrl: database.url, env }));
});
afterAll(() => resources.disposeAsync());

test('a plain run costs no more statements, parameters, bytes of their texts and of WAL, promises, timers, AbortControllers and protobuf messages than it did, and loads no library that it does not use', async () => {
  const caller = await newAccount(mesh.url);
  const warmUp = await caller.createSession();
  for (let run = 0; run < 10; run += 1) await runPlain(caller, warmUp);
  const costs: (typeof most)[] = [];
  for (let load = 0; load < loads; load += 1) costs.push(await costOfRuns(caller));
  const cost = Object.fromEntries(
    kinds.map((kind) => [kind, Math.min(...costs.map((one) => one[kind]))]),
  ) as typeof most;
  const tooMuch = kinds.filter((kind) => cost[kind] > most[kind]);
  expect(tooMuch, `costs now: ${JSON.stringify(cost)}`).toEqual([]);
  const { packages } = await made();
  expect(packages).toContain('@google/adk');
  expect(packages.filter((name) => loadedLate.includes(name))).toEqual([]);
});

test('a mesh without work sends few statements', async () => {
  await database.reset();
  await sleep(idleSeconds * 1_000);
  const { calls } = await database.calledAtLeast(1);
  expect(calls / idleSeconds).toBeLessThan(mostIdle);
});

async function runPlain(caller: Caller, session: SessionJson): Promise<void> {
  expect((await caller.run(session, 'hello')).status).toBe(200);
}

/** The costs of one of a hundred runs, each in a session of its own: a longer history would cost more. */
async function costOfRuns(caller: Caller): Promise<typeof most> {
  const sessions = await Promise.all(Array.from({ length: runs }, () => caller.createSession()));
  await rm(countsFile, { force: true });
  await database.reset();
  mesh.signal('all', 'SIGUSR2');
  for (const session of sessions) await runPlain(caller, session);
  mesh.signal('all', 'SIGUSR2');
  const { promises, timers, abortControllers, messages } = await made();
  const { calls, walBytes, notifies, textBytes, parameters } = await database.calledAtLeast(runs);
  const perRun = (count: number): number => Math.round((10 * count) / runs) / 10;
  return {
    statements: perRun(calls - notifies),
    notifies: perRun(notifies),
    walBytes: Math.round(walBytes / runs),
    textBytes,
    parameters,
    promises: Math.round(promises / runs),
    timers: perRun(timers),
    abortControllers: perRun(abortControllers),
    messages: perRun(messages),
  };
}

/** The counts that the mesh has written at the second signal. */
async function made(): Promise<Made> {
  await expect.poll(() => existsSync(countsFile) && readFileSync(countsFile, 'utf8') !== '').toBe(true);
  return JSON.parse(readFileSync(countsFile, 'utf8')) as Made;
}
