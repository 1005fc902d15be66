import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, type SessionJson } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';
import { median } from '../timing/mann-whitney.ts';

const heapFile = join(tmpdir(), `agentmesh-heap-${process.pid}`);
const runsOfSession = 25;
const sessionsAtOnce = 16;
/** Most bytes of heap that may be left of a run. Bounded tables of the mesh fill up meanwhile. */
const mostBytes = 400;
/**
 * V8 lets go of megabytes of old code in one or two of these, which would hide what runs hold, and holds more in others on a busy machine: the third
 * smallest counts. What each run holds is in all of them.
 */
const loads = 7;
const counted = 2;
const waitingLoads = 3;
/** Two measurements that differ by less show that nothing more is let go of. */
const settledBytes = 20_000;
const waitingRuns = 200;
/** Most bytes of heap that one of them may hold, with the request, its connection and the answer. */
const mostWaitingBytes = 56_000;
/** Each load waits until the heap has settled, which takes minutes in all on a slow machine. */
const timeout = 240_000;
const resources = new AsyncDisposableStack();
let mesh: TestMesh;

beforeAll(async () => {
  resources.defer(() => rmSync(heapFile, { force: true }));
  const env = {
    NODE_OPTIONS: `--import=${new URL('held-heap.ts', import.meta.url).href}`,
    HEAP_FILE: heapFile,
    RATE_LIMIT_ENABLED: 'false',
    // Windows of sessions are kept on purpose, up to a bound.
    RUNS_HISTORY_CACHE_MB: '0',
  };
  mesh = resources.use(await startMesh({ mode: 'all', env }));
});
afterAll(() => resources.disposeAsync());

test('nothing of a run is held when it is over', { timeout }, async () => {
  const caller = await newAccount(mesh.url);
  await runMany(caller, 32);
  const held: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    const before = await heap();
    const count = await runMany(caller, sessionsAtOnce);
    held.push(Math.round(((await heap()) - before) / count));
  }
  expect(held.toSorted((a, b) => a - b)[counted]).toBeLessThan(mostBytes);
});

test('a run whose client waits with it for the model holds a bounded part of the heap', { timeout }, async () => {
  const caller = await newAccount(mesh.url);
  const left = async () => (await caller.request<unknown[]>('GET', '/runs?status=running')).body;
  await heldByWaiting(caller, sessionsAtOnce);
  await expect.poll(left).toEqual([]);
  const held: number[] = [];
  for (let load = 0; load < waitingLoads; load += 1) {
    held.push(await heldByWaiting(caller, waitingRuns));
    await expect.poll(left).toEqual([]);
  }
  expect(median(held)).toBeLessThan(mostWaitingBytes);
});

/** Bytes that each of so many runs holds that wait. They are cancelled then. */
async function heldByWaiting(caller: Caller, runs: number): Promise<number> {
  const before = await heap();
  using _ = await waitFor(caller, runs);
  return Math.round(((await heap()) - before) / runs);
}

/** Opens streams of runs that wait for their model, each in a session and over a connection of its own. Leaving them cancels the runs. */
async function waitFor(caller: Caller, runs: number): Promise<Disposable> {
  const leaving = new AbortController();
  const open = async (): Promise<Response> => {
    const { appName, userId, id: sessionId } = await caller.createSession();
    const newMessage = { role: 'user', parts: [{ text: '[[wait:60000]] done' }] };
    const body = { appName, userId, sessionId, newMessage, onDisconnect: 'cancel' };
    const response = await caller.fetch('POST', '/run_sse', body, leaving.signal);
    expect(response.status).toBe(200);
    return response;
  };
  const responses = await Promise.all(Array.from({ length: runs }, open));
  return {
    [Symbol.dispose]() {
      leaving.abort();
      responses.length = 0;
    },
  };
}

/** Executes all runs of so many sessions. Answers how many these were. */
async function runMany(caller: Caller, sessions: number): Promise<number> {
  for (let from = 0; from < sessions; from += sessionsAtOnce) {
    const some = await Promise.all(Array.from({ length: sessionsAtOnce }, () => caller.createSession()));
    await Promise.all(some.map((session) => runAll(caller, session)));
  }
  return sessions * runsOfSession;
}

async function runAll(caller: Caller, session: SessionJson): Promise<void> {
  for (let run = 0; run < runsOfSession; run += 1) expect((await caller.run(session, 'hello')).status).toBe(200);
}

/** Bytes of heap and buffers that stay in use. Sockets and timers hold hundreds of kB for a moment after the last answer. */
async function heap(): Promise<number> {
  let bytes = await heapNow();
  for (;;) {
    const next = await heapNow();
    if (Math.abs(bytes - next) < settledBytes) return next;
    bytes = next;
  }
}

async function heapNow(): Promise<number> {
  rmSync(heapFile, { force: true });
  mesh.signal('all', 'SIGUSR2');
  await expect.poll(() => existsSync(heapFile) && readFileSync(heapFile, 'utf8') !== '').toBe(true);
  return Number(readFileSync(heapFile, 'utf8'));
}
