import { setTimeout as delay } from 'node:timers/promises';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { mixedLoad } from '../faults/mixed-load.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const isFull = process.env.VERIFY === 'full';
/** `frozenMs`: longer than any deadline of a call in the full size. */
const size = isFull
  ? {
      doubled: ['artifacts', 'auth', 'keys', 'memory', 'runs', 'sessions'],
      clients: 32,
      requests: 2_000,
      frozenMs: 35_000,
    }
  : { doubled: ['auth', 'sessions'], clients: 16, requests: 100, frozenMs: 12_000 };
const only = isFull ? size.doubled : ['auth', 'runs', 'sessions'];
const without = ['artifacts', 'memory'].filter((word) => !only.includes(word));
const firstMs = 5_000;
/** Users think between two requests: those that are under way when a replica freezes are few. */
const pauseMs = 200;
/** Two in a hundred. The small size sends so few requests that chance alone may double that: it has three standard deviations of room. */
const mostFailed = (sent: number): number => 0.02 * sent + (isFull ? 0 : 3 * Math.sqrt(0.02 * sent));

/** Freezes until few enough requests fail in one: the slower the machine is, the more are under way. A replica that its callers do not leave fails too many each time. */
const mostFreezes = 3;

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  const env = { AGENTS_DIR: agentsDir, RUNS_APPS: 'echo,agent*', RATE_LIMIT_ENABLED: 'false' };
  mesh = resources.use(await startMesh({ mode: 'separate', only, doubled: size.doubled, databaseUrl: url, env }));
  caller = await newAccount(mesh.url);
}, 180_000);
afterAll(() => resources.disposeAsync());

describe('a replica that is frozen, with its connections open', () => {
  test.each(size.doubled)(
    'fails at most what was under way, and nothing after five seconds: %s',
    { timeout: 300_000 },
    async (word) => {
      const beyond: number[] = [];
      do beyond.push(await failedBeyond(word));
      while (Math.min(...beyond) > 0 && beyond.length < mostFreezes);
      expect(Math.min(...beyond)).toBeLessThanOrEqual(0);
    },
  );
});

/** Freezes a replica under load. Checks that nothing fails after five seconds, and returns how many more requests failed than may. */
async function failedBeyond(word: string): Promise<number> {
  const sent: { readonly sentMs: number; readonly isFailed: boolean }[] = [];
  let frozenAtMs = Infinity;
  let isDone = false;
  const freeze = async (): Promise<void> => {
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThan(10 * size.clients);
    mesh.signal(`${word}-2`, 'SIGSTOP');
    frozenAtMs = performance.now();
    await delay(size.frozenMs);
    mesh.signal(`${word}-2`, 'SIGCONT');
    isDone = true;
  };
  const [{ failed }] = await Promise.all([
    mixedLoad({
      caller,
      clients: size.clients,
      without,
      pauseMs,
      isOver: (count) => isDone && count >= size.requests,
      onAnswer: (sentMs, isFailed) => sent.push({ sentMs, isFailed }),
    }),
    freeze(),
  ]);
  const inFirst = sent.filter(({ sentMs }) => sentMs > frozenAtMs && sentMs <= frozenAtMs + firstMs).length;
  const failures = sent.filter(({ isFailed }) => isFailed);
  const late = failures.filter(({ sentMs }) => sentMs > frozenAtMs + firstMs);
  process.stdout.write(`${word} | ${failures.length} of ${inFirst} | ${late.length} of ${sent.length} |\n`);
  expect({ late: late.length, failed: late.length > 0 ? failed : [] }).toEqual({ late: 0, failed: [] });
  return failures.length - mostFailed(inFirst);
}
