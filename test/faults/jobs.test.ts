import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount, runBody } from '../caller.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../fakes/openai-embeddings.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fakes/webhook-receiver.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const apiKey = 'sk-of-the-fault-test';
const resources = new AsyncDisposableStack();
let fake: FakeEmbeddings;
let receiver: WebhookReceiver;
let databaseUrl: string;

beforeAll(async () => {
  fake = resources.use(await startFakeEmbeddings({ apiKey, vectorOf: () => [1, 0] }));
  receiver = resources.use(await startWebhookReceiver());
  databaseUrl = resources.use(await testDatabaseUrl()).url;
});
afterAll(() => resources.disposeAsync());

async function start(): Promise<TestMesh> {
  const embeddings = {
    MEMORY_EMBEDDING_MODEL: 'openai/small',
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: apiKey,
    RUNS_WEBHOOK_ALLOW: '127.0.0.1/32',
  };
  return resources.use(await startMesh({ mode: 'all', databaseUrl, env: { AGENTS_DIR: agentsDir, ...embeddings } }));
}

async function rowsOf<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

/** When another process may take up what is in hand, in milliseconds: the job, and the message of a webhook. */
async function leaseEnds(): Promise<{ job: number; message: number }[]> {
  return rowsOf(`select
    (select extract(epoch from heartbeat_on + heartbeat_seconds * interval '1 s')::float8 * 1000 from memory_jobs.job
      where state = 'active') as job,
    (select extract(epoch from next_attempt_at)::float8 * 1000 from webhooks.deliveries where status = 'pending') as message`);
}

/** The time is over for which a dead process has its work. */
async function endLeases(): Promise<void> {
  await rowsOf(`update memory_jobs.job set heartbeat_on = now() - interval '1 minute' where state = 'active'`);
  await rowsOf(`update webhooks.deliveries set next_attempt_at = now() where status = 'pending'`);
}

test('a job, and a message of a webhook, whose process is killed in the middle are done by another replica within half a minute', {
  timeout: 120_000,
}, async () => {
  const killed = await start();
  const caller = await newAccount(killed.url);
  const event = { author: 'user', content: { parts: [{ text: 'my kitten sleeps' }] } };
  const session = await caller.createSession('echo', { events: [event] });
  fake.answer('hang');
  const added = await caller.request('PATCH', '/apps/echo/users/u1/memory', { sessionId: session.id });
  expect(added.status).toBe(200);
  await expect.poll(() => fake.hanging).toBe(1);
  receiver.answers.set('/', 'hang');
  const webhook = { url: `${receiver.url}/` };
  expect((await caller.request('POST', '/runs', { ...runBody(session, 'hello'), webhook })).status).toBe(202);
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
  await killed.kill();
  receiver.answers.set('/', 200);
  const [{ job, message } = { job: Infinity, message: Infinity }] = await leaseEnds();
  const deadBy = Date.now();
  // Every process looks for jobs of dead ones every ten seconds, and for messages every second.
  expect(job - deadBy).toBeLessThanOrEqual(15_000);
  expect(message - deadBy).toBeLessThanOrEqual(25_000);
  await endLeases();
  await start();
  await expect.poll(() => fake.received, { timeout: 60_000 }).toBe(2);
  await expect.poll(() => rowsOf('select from memory_jobs.job'), { timeout: 60_000 }).toEqual([]);
  expect(await rowsOf('select from memory.vectors')).toHaveLength(1);
  const delivered = () => rowsOf(`select from webhooks.deliveries where status = 'delivered'`);
  await expect.poll(delivered, { timeout: 60_000 }).toHaveLength(1);
  expect(receiver.received.length).toBeGreaterThan(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
