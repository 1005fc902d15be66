import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

/** The lifetime of a lease by default (SESSIONS_LEASE_SECONDS). */
const leaseMs = 10_000;
const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  const options = { mode: 'separate' as const, databaseUrl: database.url, env: { AGENTS_DIR: agentsDir } };
  mesh = resources.use(await startMesh(options));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

describe('a service that dies', () => {
  test.each(['auth', 'sessions', 'runs', 'memory'])(
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
    const killedAt = Date.now();
    await cut;
    await mesh.restart();
    // The start is no part of it where it takes longer than the lease of the dead process.
    const leaseEndsAt = Math.max(Date.now(), killedAt + leaseMs);
    await expect
      .poll(async () => (await caller.run(session, 'after').catch(() => undefined))?.status, { timeout: 60_000 })
      .toBe(200);
    expect(Date.now() - leaseEndsAt).toBeLessThan(10_000);
    const { events } = await caller.readSession(session);
    expect(events.map((event) => (event.errorCode as string | undefined) ?? textOf(event))).toEqual([
      'cut [[wait:60000]]',
      'INTERRUPTED',
      'after',
      'after',
    ]);
  });
});
