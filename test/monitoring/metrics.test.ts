import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, runBody } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { startMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let caller: Caller;
let opsUrl: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'metrics-'));
  resources.defer(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'priced'));
  await writeFile(join(folder, 'priced', 'root_agent.yaml'), 'name: priced\nmodel: openai/gpt-5-mini\n');
  const database = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi());
  const [opsPort = 0] = await freePorts(1);
  opsUrl = `http://127.0.0.1:${opsPort}`;
  const models = { OPENAI_BASE_URL: openAi.baseUrl, OPENAI_API_KEY: 'sk-test' };
  const env = { ...models, AGENTS_DIR: folder, OPS_PORT: String(opsPort) };
  const mesh = resources.use(await startMesh({ mode: 'all', databaseUrl: database.url, env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

/** The value of a series; undefined when there is none. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await (await fetch(`${opsUrl}/metrics`)).text()).split('\n').find((it) => it.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const model = 'provider="openai",model="gpt-5-mini"';

test('calls, tokens, cost and time to the first token are told by model', async () => {
  await caller.run(await caller.createSession('priced'), 'hi');
  await expect.poll(() => valueOf(`agentmesh_model_calls_total{${model},outcome="answered"}`)).toBe(1);
  expect(await valueOf(`agentmesh_model_calls_total{${model},outcome="failed"}`)).toBe(0);
  for (const kind of ['input', 'output'])
    expect(await valueOf(`agentmesh_model_tokens_total{${model},kind="${kind}"}`)).toBeGreaterThan(0);
  expect(await valueOf(`agentmesh_model_first_token_seconds_count{${model}}`)).toBe(1);
  await expect.poll(() => valueOf(`agentmesh_model_cost_dollars_total{${model}}`)).toBeGreaterThan(0);
});

test('requests are counted in one series whatever their route and status, and none of these has failed', async () => {
  const before = (await valueOf('agentmesh_gateway_requests_total')) ?? 0;
  await caller.request('GET', '/list-apps');
  await caller.request('GET', '/no-such-route');
  await expect.poll(() => valueOf('agentmesh_gateway_requests_total')).toBe(before + 2);
  expect(await valueOf('agentmesh_gateway_failed_requests_total')).toBe(0);
});

test('runs that have not ended are told by status with the age of the oldest, and what they wait for', async () => {
  openAi.answer('hang');
  const session = await caller.createSession('priced');
  const { body: first } = await caller.request<{ invocationId: string }>('POST', '/runs', runBody(session, 'hi'));
  await expect.poll(() => valueOf('agentmesh_runs_waiting{on="model"}')).toBe(1);
  const { body: next } = await caller.request<{ invocationId: string }>('POST', '/runs', runBody(session, 'and'));
  await expect.poll(() => valueOf('agentmesh_runs_unfinished{status="running"}')).toBe(1);
  await expect.poll(() => valueOf('agentmesh_runs_unfinished{status="queued"}')).toBe(1);
  await expect.poll(() => valueOf('agentmesh_runs_oldest_seconds{status="queued"}')).toBeGreaterThan(0);
  for (const { invocationId } of [next, first]) await caller.request('POST', `/runs/${invocationId}/cancel`, {});
  await expect.poll(() => valueOf('agentmesh_runs_unfinished{status="running"}')).toBe(0);
  expect(await valueOf('agentmesh_runs_oldest_seconds{status="running"}')).toBe(0);
});

test('pools, jobs, messages, dead letters and leases that were taken over are told from the start', async () => {
  for (const series of [
    'agentmesh_database_pool{service="sessions",state="waiting"}',
    'agentmesh_jobs_due{service="webhooks"}',
    'agentmesh_outbox_oldest_seconds{service="sessions"}',
    'agentmesh_dead_letters{service="webhooks"}',
    'agentmesh_leases_taken_over_total',
  ])
    await expect.poll(async () => [series, await valueOf(series)]).toEqual([series, 0]);
  expect(await valueOf('agentmesh_database_pool{service="sessions",state="most"}')).toBeGreaterThan(0);
});
