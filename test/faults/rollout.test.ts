import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  const options = {
    mode: 'separate' as const,
    doubled: ['runs'],
    databaseUrl: url,
    env: { AGENTS_DIR: agentsDir, SHUTDOWN_GRACE_SECONDS: '5' },
  };
  mesh = resources.use(await startMesh(options));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

/** Clients that run agents one after the other, each in a session of its own, until `isOver`. Answers how each run went. */
async function load(clients: number, isOver: () => boolean): Promise<string[]> {
  const client = async (_: unknown, number: number): Promise<string[]> => {
    const session = await caller.createSession();
    const outcomes: string[] = [];
    for (let n = 0; !isOver(); n++) {
      const text = `run ${number}-${n} [[wait:${(n % 4) * 100}]]`;
      const { status, body } = await caller.run(session, text);
      outcomes.push(
        status === 200 && textOf(body.at(-1)).includes(`run ${number}-${n}`)
          ? 'done'
          : `${status} ${JSON.stringify(body)}`,
      );
    }
    return outcomes;
  };
  return (await Promise.all(Array.from({ length: clients }, client))).flat();
}

describe('a rollout of runs with two replicas', () => {
  test('fails no run of the load on it', { timeout: 240_000 }, async () => {
    let isOver = false;
    const running = load(8, () => isOver);
    for (const name of ['runs', 'runs-2']) {
      await mesh.stop(name);
      await mesh.restart();
    }
    isOver = true;
    const outcomes = await running;
    expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(50);
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
