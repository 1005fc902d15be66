import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDir } from '../bench/targets/durable-postgres.ts';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath, textOf } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';
import { killPostgres } from './kill-postgres.ts';

interface RunJson {
  readonly status: string;
  /** In seconds. */
  readonly endTime: number;
}

/** The lifetime of a lease by default (SESSIONS_LEASE_SECONDS). */
const leaseMs = 10_000;

let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  mesh = await startMesh({ mode: 'all', env: { AGENTS_DIR: agentsDir } });
  caller = await newAccount(mesh.url);
});
afterAll(() => mesh[Symbol.asyncDispose]());

describe('after kill -9 of the whole mesh, its embedded PostgreSQL left behind', () => {
  interface Run {
    readonly status: string;
    readonly waitingFor: readonly { readonly functionCallId: string; readonly name: string }[];
  }
  const read = async (id: string) => (await caller.request<Run & Record<string, unknown>>('GET', `/runs/${id}`)).body;
  /** Runs that wait since before the first kill: for an approval, an input, and the result of a long-running tool. */
  const waiting: string[] = [];

  beforeAll(async () => {
    for (const [app, text] of [
      ['approve', '[[state:paid=yes]]'],
      ['echo', '[[tool:request_input {}]]'],
    ]) {
      const { headers } = await caller.run(await caller.createSession(app), text ?? '');
      waiting.push(headers.get('x-invocation-id') ?? '');
    }
  });

  test('acknowledged writes exist, the interrupted run has a visible end, and the session accepts a run within 20 s', {
    timeout: 120_000,
  }, async () => {
    const session = await caller.createSession('fragile', { state: { kept: true } });
    expect((await caller.run(session, 'before')).status).toBe(200);
    const cut = caller.run(session, 'cut [[wait:60000]]').catch(() => undefined);
    await expect.poll(async () => (await caller.readSession(session)).events.length).toBe(3);
    const waiting = Array.from({ length: 30 }, (_, index) => `queued ${index}`);
    // The response starts only when the run is accepted.
    const streams = waiting.map((text) => caller.fetch('POST', '/run_sse', runBody(session, text)));
    const queued = await Promise.all(streams);
    await mesh.kill();
    const killedAt = Date.now();
    await Promise.all([cut, ...queued.map((answer) => answer.text().catch(() => undefined))]);
    await mesh.restart();
    // The start is no part of it where it takes longer than the lease of the dead process.
    const leaseEndsAt = Math.max(Date.now(), killedAt + leaseMs);
    const next = await caller.run(session, 'after');
    expect(next.body.map(textOf)).toEqual(['after']);
    const { body: runs } = await caller.request<RunJson[]>('GET', `${sessionPath(session)}/runs`);
    const interrupted = runs.filter(({ status }) => ['failed', 'interrupted'].includes(status));
    expect(interrupted).toHaveLength(1);
    // From then on the session is free. How long the runs take that were queued does not count.
    for (const { endTime } of interrupted) expect(endTime * 1_000 - leaseEndsAt).toBeLessThan(10_000);
    const { events, state } = await caller.readSession(session);
    expect(state).toEqual({ kept: true });
    const said = events.map((event) => (event.errorCode as string | undefined) ?? textOf(event));
    expect(said.slice(0, 4)).toEqual(['before', 'before', 'cut [[wait:60000]]', 'INTERRUPTED']);
    expect(said.slice(-2)).toEqual(['after', 'after']);
    expect(said.filter((text) => text.startsWith('queued')).toSorted()).toEqual([...waiting, ...waiting].toSorted());
  });

  test('a session added to memory is found, and an interrupted addition is complete or absent', {
    timeout: 120_000,
  }, async () => {
    const path = '/apps/echo/users/u1/memory';
    const say = (text: string) => ({ author: 'user', content: { parts: [{ text }] } });
    const kept = await caller.createSession('echo', { events: [say('kept zebra')] });
    const events = Array.from({ length: 20_000 }, (_, index) => say(`long giraffe ${index}`));
    const long = await caller.createSession('echo', { events });
    expect((await caller.request('PATCH', path, { sessionId: kept.id })).status).toBe(200);
    const cut = caller.request('PATCH', path, { sessionId: long.id }).catch(() => undefined);
    // The kill may come at any moment of the call.
    await delay(300);
    await mesh.kill();
    await cut;
    await mesh.restart();
    const found = async (query: string): Promise<number> => {
      const { body } = await caller.request<{ memories: unknown[] }>('GET', `${path}?limit=500&query=${query}`);
      return body.memories.length;
    };
    expect(await found('zebra')).toBe(1);
    expect([0, 500]).toContain(await found('giraffe'));
    expect((await caller.request('PATCH', path, { sessionId: long.id })).status).toBe(200);
    expect(await found('19999')).toBe(1);
  });

  test('every acknowledged write of many sessions exists', { timeout: 120_000 }, async () => {
    const acknowledged: string[] = [];
    let killed = false;
    const write = async (worker: number): Promise<void> => {
      const session = await caller.createSession();
      for (let turn = 0; !killed; turn++) {
        const text = `${worker}/${turn}`;
        const answer = await caller.run(session, text).catch(() => undefined);
        if (answer?.status === 200) acknowledged.push(`${session.id} ${text}`);
      }
    };
    const writers = Array.from({ length: 8 }, (_, worker) => write(worker).catch(() => undefined));
    await expect.poll(() => acknowledged.length, { timeout: 40_000 }).toBeGreaterThan(200);
    killed = true;
    await mesh.kill();
    await Promise.all(writers);
    await mesh.restart();
    const found = new Set<string>();
    for (const id of new Set(acknowledged.map((entry) => entry.split(' ')[0] as string))) {
      const { events } = await caller.readSession({
        id,
        appName: 'echo',
        userId: 'u1',
        state: {},
        events: [],
        lastUpdateTime: 0,
      });
      for (const event of events) if (event.author === 'echo') found.add(`${id} ${textOf(event)}`);
    }
    expect(acknowledged.filter((entry) => !found.has(entry))).toEqual([]);
  });

  test('a run that waits for a person goes on with the answer', { timeout: 120_000 }, async () => {
    for (const id of waiting) {
      const { status, waitingFor } = await read(id);
      expect(status).toBe('waiting');
      const response = { confirmed: true, result: 'yes' };
      const functionResponses = waitingFor.map(({ functionCallId, name }) => ({ id: functionCallId, name, response }));
      expect((await caller.request('POST', `/runs/${id}/answer`, { functionResponses })).status).toBe(202);
      await expect.poll(async () => (await read(id)).status, { timeout: 30_000 }).toBe('completed');
    }
  });
});

describe('after kill -9 of PostgreSQL while the mesh goes on', () => {
  test('every acknowledged session, run and change exists exactly once', { timeout: 120_000 }, async () => {
    await using resources = new AsyncDisposableStack();
    const dataDir = resources.adopt(await makeDataDir(), (folder) => rm(folder, { recursive: true, force: true }));
    const startPostgres = () =>
      startEmbeddedPostgres({ dataDir, log: createLogger({ level: 'silent', name: 'test' }) });
    const first = await startPostgres();
    const options = { mode: 'all' as const, databaseUrl: first.url, env: { AGENTS_DIR: agentsDir } };
    const standing = resources.use(await startMesh(options));
    const told = new Told(await newAccount(standing.url));
    const writers = Array.from({ length: 24 }, () => told.write());
    await expect.poll(() => told.runs.length, { timeout: 40_000 }).toBeGreaterThan(200);
    await killPostgres(first);
    resources.use(await startPostgres());
    const before = told.runs.length;
    await expect.poll(() => told.runs.length, { timeout: 40_000 }).toBeGreaterThan(before + 200);
    told.over = true;
    await Promise.all(writers);
    const { asked, said, changed } = await told.read();
    expect(asked).toEqual([...new Set(asked)]);
    expect(said).toEqual([...new Set(said)]);
    expect(told.runs.filter((text) => !said.includes(text))).toEqual([]);
    expect(told.changes.filter((text) => !changed.has(text))).toEqual([]);
    for (const status of told.refusals) expect([409, 503, 504]).toContain(status);
  });
});

/** The answers that callers got while they created sessions, ran agents and changed state. */
class Told {
  readonly runs: string[] = [];
  readonly refusals = new Set<number>();
  over = false;
  readonly #caller: Caller;
  readonly #sessions: SessionJson[] = [];
  readonly changes: string[] = [];

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async write(): Promise<void> {
    while (!this.over) {
      const made = await this.#caller.request<SessionJson>('POST', '/apps/echo/users/u1/sessions', {});
      if (this.#isRefused(made.status)) {
        await delay(20);
        continue;
      }
      const session = made.body;
      this.#sessions.push(session);
      for (let turn = 0; turn < 5; turn++) await this.#turn(session, turn);
    }
  }

  async #turn(session: SessionJson, turn: number): Promise<void> {
    const text = `${session.id} ${turn}`;
    const run = await this.#caller.run(session, text);
    if (!this.#isRefused(run.status)) this.runs.push(text);
    const change = await this.#caller.request('PATCH', sessionPath(session), { stateDelta: { [text]: true } });
    if (!this.#isRefused(change.status)) this.changes.push(text);
  }

  #isRefused(status: number): boolean {
    if (status !== 200) this.refusals.add(status);
    return status !== 200;
  }

  /** Reads the current session. */
  async read() {
    const said: string[] = [];
    const asked: string[] = [];
    const changed = new Set<string>();
    for (const session of this.#sessions) {
      const { events, state } = await this.#caller.readSession(session);
      for (const event of events.filter((one) => textOf(one) !== ''))
        (event.author === 'user' ? asked : said).push(textOf(event));
      for (const key of Object.keys(state)) changed.add(key);
    }
    return { asked, said, changed };
  }
}
