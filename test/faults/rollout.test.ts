import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';
import { mixedLoad } from './mixed-load.ts';

/** Services whose replicas are replaced. */
const doubled =
  process.env.VERIFY === 'full' ? ['artifacts', 'auth', 'keys', 'memory', 'runs', 'sessions'] : ['artifacts', 'runs'];

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  const options = {
    mode: 'separate' as const,
    doubled,
    databaseUrl: url,
    env: { AGENTS_DIR: agentsDir, SHUTDOWN_GRACE_SECONDS: '5' },
  };
  mesh = resources.use(await startMesh(options));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

describe('a rollout with two replicas', () => {
  test('fails no request of any kind', { timeout: 300_000 }, async () => {
    let isOver = false;
    const loading = mixedLoad({ caller, clients: 8, isOver: () => isOver });
    for (const name of doubled.flatMap((word) => [word, `${word}-2`])) {
      await mesh.stop(name);
      await mesh.restart();
    }
    isOver = true;
    const { failed, count } = await loading;
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(200);
  });

  test('hands longer runs over: their streams go on, and none is ended by the shutdown', {
    timeout: 240_000,
  }, async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => caller.createSession()));
    const running = sessions.map((session) => caller.runSse(session, 'long [[wait:10000]]'));
    const isRunning = async () => (await caller.request<object[]>('GET', '/runs?status=running')).body.length;
    await expect.poll(isRunning, { timeout: 15_000 }).toBe(4);
    for (const name of ['runs', 'runs-2']) {
      await mesh.stop(name);
      await mesh.restart();
    }
    for (const frames of await Promise.all(running))
      expect(frames.map((frame) => frame.error ?? textOf(frame))).toEqual(['long ']);
    expect(mesh.lines.some((line) => line.includes('runs are handed over'))).toBe(true);
  });
});
