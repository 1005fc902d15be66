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

async function rowsOf(text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<object>(text);
  await client.end();
  return rows;
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
  await start();
  await killed.kill();
  receiver.answers.set('/', 200);
  const killedAt = Date.now();
  await expect.poll(() => fake.received, { timeout: 60_000 }).toBe(2);
  expect(Date.now() - killedAt).toBeLessThan(33_000);
  await expect.poll(() => rowsOf('select from memory_jobs.job')).toEqual([]);
  expect(await rowsOf('select from memory.vectors')).toHaveLength(1);
  const delivered = () => rowsOf(`select from webhooks.deliveries where status = 'delivered'`);
  await expect.poll(delivered, { timeout: 60_000 }).toHaveLength(1);
  expect(receiver.received.length).toBeGreaterThan(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
