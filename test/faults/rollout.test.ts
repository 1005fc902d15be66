import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, sessionPath, textOf } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

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

type Step = (number: number, n: number) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Clients that go through the steps again and again until `isOver`, each in a session of its own. Answers the requests that failed, and how many were made. */
async function load(clients: number, isOver: () => boolean): Promise<{ failed: string[]; count: number }> {
  const failed: string[] = [];
  let count = 0;
  const client = async (_: unknown, number: number): Promise<void> => {
    const session = await caller.createSession();
    const artifacts = `${sessionPath(session)}/artifacts`;
    const part = { inlineData: { mimeType: 'text/plain', data: 'aGVsbG8=' } };
    const steps: Step[] = [
      (_, n) => runs(session, `run ${number}-${n} [[wait:${(n % 4) * 100}]]`),
      () => caller.request('POST', '/apps/echo/users/u1/sessions', {}),
      (_, n) => caller.request('POST', artifacts, { filename: `${n}.txt`, artifact: part }),
      (_, n) => caller.request('GET', `${artifacts}/${n}.txt`),
      () => caller.request('GET', sessionPath(session)),
      () => caller.request('GET', '/apps/echo/users/u1/memory?query=run'),
      () => caller.request('GET', '/api/agents'),
      () => caller.request('GET', '/runs?limit=1'),
    ];
    for (let n = 0; !isOver(); n++) {
      for (const step of steps) {
        const { status, body } = await step(number, n);
        count += 1;
        if (status !== 200) failed.push(`${steps.indexOf(step)}: ${status} ${JSON.stringify(body)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { failed, count };
}

/** A run counts as failed when its answer is not the text. */
async function runs(session: SessionJson, text: string) {
  const { status, body } = await caller.run(session, text);
  return { status: Array.isArray(body) && textOf(body.at(-1)).includes(text.split(' [')[0] ?? '') ? status : 0, body };
}

describe('a rollout with two replicas', () => {
  test('fails no request of any kind', { timeout: 300_000 }, async () => {
    let isOver = false;
    const loading = load(8, () => isOver);
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
