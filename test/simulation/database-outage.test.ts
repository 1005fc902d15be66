import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, textOf } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { agentsDir, startMesh } from '../mesh.ts';

const isFull = process.env.VERIFY === 'full';
/** Seconds for which the database does not answer, one round after the other. The shortest lease is five. */
const freezes = isFull ? [12, 30, 60, 12, 60] : [4];
const atOnce = isFull ? 20 : 5;
const timeout = isFull ? 900_000 : 120_000;
/** Time that a request of the model on the network takes in each direction. */
const modelMs = 200;

const resources = new AsyncDisposableStack();
let proxy: TcpProxy;
let databaseUrl: string;
let openAi: FakeOpenAi;
let caller: Caller;

beforeAll(async () => {
  ({ url: databaseUrl } = resources.use(await testDatabaseUrl()));
  proxy = resources.use(await TcpProxy.open(databaseUrl));
  openAi = resources.use(await startFakeOpenAi());
  const model = resources.use(await TcpProxy.open(openAi.origin));
  model.delay(modelMs);
  const OPENAI_BASE_URL = model.through(openAi.baseUrl);
  const env = { AGENTS_DIR: agentsDir, SESSIONS_LEASE_SECONDS: isFull ? '10' : '5', OPENAI_BASE_URL };
  const mesh = resources.use(await startMesh({ mode: 'all', databaseUrl: proxy.through(databaseUrl), env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

function report(line: string): void {
  if (isFull) process.stdout.write(`${line}\n`);
}

async function askDatabase(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

/** Starts runs that make their answers while the database is away. Resolves when all have begun; on a slow machine the first may have ended by then. */
async function startRuns(): Promise<{ session: SessionJson; answer: Promise<{ status: number }> }[]> {
  const sessions = await Promise.all(Array.from({ length: atOnce }, () => caller.createSession('echo')));
  const runs = sessions.map((session) => ({ session, answer: caller.run(session, 'go on [[wait:3000]]') }));
  const hasBegun = async ({ session }: { session: SessionJson }) =>
    (await caller.readSession(session)).events.length > 0;
  await expect.poll(async () => (await Promise.all(runs.map(hasBegun))).every(Boolean)).toBe(true);
  return runs;
}

describe('runs during an outage of the database', () => {
  test(`all finish, each event once (${freezes.length * atOnce} runs)`, { timeout }, async () => {
    for (const seconds of freezes) {
      const runs = await startRuns();
      proxy.freeze();
      await sleep(seconds * 1_000);
      // Like after a longer outage: a lease that is still good would prove nothing.
      await askDatabase(`update sessions.runs set due_at = now() - interval '1 s' where ended_at is null`);
      const thawedAt = performance.now();
      proxy.thaw();
      const answers = await Promise.all(runs.map(({ answer }) => answer));
      const recoveryMs = Math.round(performance.now() - thawedAt);
      expect(answers.map(({ status }) => status)).toEqual(runs.map(() => 200));
      for (const { session } of runs) {
        const { events } = await caller.readSession(session);
        expect(events.map((event) => event.errorCode ?? textOf(event))).toEqual(['go on [[wait:3000]]', 'go on ']);
      }
      report(`frozen for ${seconds} s: ${runs.length} runs finished within ${recoveryMs} ms`);
    }
  });
});

describe('connections that vanish', () => {
  test.runIf(isFull)('cost at most ten seconds of refusals, and no acknowledged write', { timeout }, async () => {
    for (let round = 0; round < 10; round += 1) {
      const session = await caller.createSession('echo');
      expect((await caller.run(session, 'before')).status).toBe(200);
      proxy.blackHole();
      const startedAt = performance.now();
      await expect
        .poll(async () => (await caller.run(session, 'after')).status, { timeout: 60_000, interval: 50 })
        .toBe(200);
      const outageMs = Math.round(performance.now() - startedAt);
      report(`connections lost: calls work again after ${outageMs} ms`);
      expect(outageMs).toBeLessThan(10_000);
      expect((await caller.readSession(session)).events.map(textOf).slice(0, 2)).toEqual(['before', 'before']);
    }
  });

  test.runIf(isFull)(
    'end no run that calls a model on the network, which the keys service allows',
    { timeout },
    async () => {
      for (let round = 0; round < 5; round += 1) {
        const session = await caller.createSession('chat');
        const calls = Array.from({ length: 6 }, (_, n) => ({
          toolCalls: [{ id: `call_${n}`, name: 'get_current_time', arguments: '{}' }],
        }));
        openAi.answer(...calls, { text: 'done' });
        const before = openAi.received;
        const run = caller.run(session, 'go on');
        const asked = () => openAi.received - before;
        await expect.poll(asked, { timeout: 30_000, interval: 20 }).toBeGreaterThanOrEqual(1 + round);
        proxy.blackHole();
        const { status, body } = await run;
        const last = body.at(-1);
        expect([status, last?.errorCode, last && textOf(last), asked()]).toEqual([200, undefined, 'done', 7]);
        report(`connections lost during call ${1 + round} of a model: the run finished`);
      }
    },
  );
});
