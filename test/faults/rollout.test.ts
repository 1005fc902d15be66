import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';
import { mixedLoad } from './mixed-load.ts';

/** Services whose replicas are replaced. */
const doubled =
  process.env.VERIFY === 'full' ? ['artifacts', 'auth', 'keys', 'memory', 'runs', 'sessions'] : ['artifacts', 'runs'];

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let openAi: FakeOpenAi;
let caller: Caller;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi());
  const options = {
    mode: 'separate' as const,
    doubled,
    databaseUrl: url,
    env: {
      AGENTS_DIR: agentsDir,
      SHUTDOWN_GRACE_SECONDS: '5',
      OPENAI_BASE_URL: openAi.baseUrl,
      OPENAI_API_KEY: 'sk-test',
    },
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
    // Runs last until they are told to end, not for a time: a busy machine may take longer to replace a process.
    openAi.answer(...Array.from({ length: 100 }, () => 'hang' as const));
    const sessions = await Promise.all(Array.from({ length: 4 }, () => caller.createSession('chat')));
    const running = sessions.map((session) => caller.runSse(session, 'hello'));
    const areWaiting = () => openAi.hanging;
    await expect.poll(areWaiting, { timeout: 60_000 }).toBe(4);
    await mesh.stop('runs');
    await mesh.restart();
    await expect.poll(areWaiting, { timeout: 60_000 }).toBe(4);
    openAi.forget();
    await mesh.stop('runs-2');
    await mesh.restart();
    for (const frames of await Promise.all(running))
      expect(frames.map((frame) => frame.error ?? textOf(frame))).toEqual(['ok']);
    expect(mesh.lines.some((line) => line.includes('runs are handed over'))).toBe(true);
  });
});
