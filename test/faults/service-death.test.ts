import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, sessionPath, textOf } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

interface RunJson {
  readonly status: string;
  /** In seconds. */
  readonly endTime: number;
}

/** The lifetime of a lease by default (SESSIONS_LEASE_SECONDS). */
const leaseMs = 10_000;
const dying = ['auth', 'sessions', 'runs', 'memory'];
const resources = new AsyncDisposableStack();
let databaseUrl: string;
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  const options = { apart: dying, databaseUrl, env: { AGENTS_DIR: agentsDir } };
  mesh = resources.use(await startMesh({ mode: 'separate', ...options }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

/** Ends the leases of all running runs now. Returns when they would have ended, in milliseconds. */
async function endLeases(): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const text = `update sessions.runs r set due_at = now() from sessions.executors e
    where r.status = 'running' and e.owner = r.owner returning extract(epoch from e.alive_until)::float8 * 1000 as end`;
  const { rows } = await client.query<{ end: number }>(text);
  await client.end();
  return rows.map(({ end }) => end);
}

describe('a service that dies', () => {
  test.each(dying)(
    '%s: is named by /readyz, and served again after its restart',
    { timeout: 180_000 },
    async (word) => {
      await mesh.kill(word);
      const ready = await caller.request('GET', '/readyz');
      expect(ready.status).toBe(503);
      expect(JSON.stringify(ready.body)).toContain(word);
      expect((await caller.request('GET', '/livez')).status).toBe(200);
      await mesh.restart();
      await expect.poll(async () => (await caller.request('GET', '/readyz')).status, { timeout: 60_000 }).toBe(200);
      const session = await caller.createSession();
      // The other services reconnect at different times.
      await expect.poll(async () => (await caller.run(session, 'hello')).status).toBe(200);
      expect((await caller.run(session, 'again')).body.map(textOf)).toEqual(['again']);
    },
  );

  test('runs, during a run: the run ends visibly and its session accepts the next one within 20 s', {
    timeout: 180_000,
  }, async () => {
    const session = await caller.createSession('fragile');
    const cut = caller.runSse(session, 'cut [[wait:60000]]').catch(() => []);
    await expect.poll(async () => (await caller.readSession(session)).events.length).toBe(1);
    await mesh.kill('runs');
    await cut;
    const leases = await endLeases();
    const deadBy = Date.now();
    expect(leases).toHaveLength(1);
    for (const end of leases) expect(end - deadBy).toBeLessThanOrEqual(leaseMs);
    await mesh.restart();
    const startedAt = Date.now();
    await expect
      .poll(async () => (await caller.run(session, 'after').catch(() => undefined))?.status, { timeout: 60_000 })
      .toBe(200);
    const { body: runs } = await caller.request<RunJson[]>('GET', `${sessionPath(session)}/runs`);
    const interrupted = runs.filter(({ status }) => ['failed', 'interrupted'].includes(status));
    expect(interrupted).toHaveLength(1);
    for (const { endTime } of interrupted) expect(endTime * 1_000 - startedAt).toBeLessThan(10_000);
    const { events } = await caller.readSession(session);
    expect(events.map((event) => (event.errorCode as string | undefined) ?? textOf(event))).toEqual([
      'cut [[wait:60000]]',
      'INTERRUPTED',
      'after',
      'after',
    ]);
  });
});
