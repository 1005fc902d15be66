import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, runBody } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let greedy: Caller;
let stranger: Caller;
let db: Client;
let app: string;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  const model = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"text": "${'x'.repeat(3 * 1024 * 1024)}`);
  });
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  resources.defer(() => {
    model.closeAllConnections();
    model.close();
  });
  const env = { MODEL_API_BASE_ALLOW: '127.0.0.1/32' };
  const ownEnv = (name: string): Record<string, string> =>
    name === 'runs' ? { NODE_OPTIONS: '--max-old-space-size=256' } : {};
  const only = ['auth', 'sessions', 'runs', 'keys'];
  mesh = resources.use(await startMesh({ mode: 'separate', databaseUrl: url, env, ownEnv, only, apart: ['runs'] }));
  [greedy, stranger] = [await newAccount(mesh.url), await newAccount(mesh.url)];
  db = new Client({ connectionString: url });
  await db.connect();
  resources.defer(() => db.end());
  const api = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const agent = {
    agent_name: 'endless',
    agent_description: 'asks a server that never ends its answer',
    agent_instruction: 'Be brief.',
    agent_type: 'llm',
    agent_model: 'openai/x',
    agent_model_params: { model_api_base: api },
  };
  const made = await greedy.request<{ agent_id: string }>('POST', '/api/agents', agent);
  app = made.body.agent_id;
});
afterAll(() => resources.disposeAsync());

async function begin(caller: Caller, name: string, text: string): Promise<string> {
  const body = runBody(await caller.createSession(name), text);
  return (await caller.request<{ invocationId: string }>('POST', '/runs', body)).body.invocationId;
}

/** The deaths that count for a run which another process goes on with, and how often it was begun. */
async function deathsOf(invocationId: string): Promise<{ deaths: number; attempt: number } | undefined> {
  const text = `select coalesce(takeovers, 0) as deaths, attempt from sessions.runs where invocation_id = $1 and status = 'running'`;
  return (await db.query<{ deaths: number; attempt: number }>(text, [invocationId])).rows[0];
}

const isHeld = async (): Promise<boolean> =>
  (await db.query('select from sessions.executors where heaviest_account_id is not null')).rowCount === 1;

const isTold = (): boolean => mesh.lines.some((line) => line.includes('runs of an account hold most of the memory'));

async function killRuns(): Promise<void> {
  await mesh.kill('runs');
  await mesh.restart();
}

test('the death of a process counts for the account whose answers held most of its memory, and for all when little was held', async () => {
  const innocent = await begin(stranger, 'echo', '[[wait:300000]]');
  await expect.poll(() => deathsOf(innocent)).toEqual({ deaths: 0, attempt: 1 });
  await killRuns();
  await expect.poll(() => deathsOf(innocent)).toEqual({ deaths: 1, attempt: 2 });

  const guilty = [await begin(greedy, app, 'one'), await begin(greedy, app, 'two')];
  await expect.poll(isHeld).toBe(true);
  await expect.poll(isTold).toBe(true);
  await killRuns();
  for (const one of guilty) await expect.poll(() => deathsOf(one)).toEqual({ deaths: 1, attempt: 2 });
  await expect.poll(() => deathsOf(innocent)).toEqual({ deaths: 1, attempt: 3 });
});
