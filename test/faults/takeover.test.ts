import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, textOf } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let caller: Caller;
let effects: string;

/** Tools that write what they do. The first call of `pay` and of `look` never ends. */
const tools = (file: string) => `
import { appendFileSync, readFileSync } from 'node:fs';
const file = ${JSON.stringify(file)};
async function act(name: string) {
  appendFileSync(file, name + '\\n');
  const times = readFileSync(file, 'utf8').split('\\n').filter((line) => line === name).length;
  if (name !== 'count' && times === 1) await new Promise((resolve) => setTimeout(resolve, 600_000));
  return { did: name };
}
/** Counts. */
export const count = async () => act('count');
/** Pays. */
export const pay = async () => act('pay');
/** Looks. */
export const look = Object.assign(async () => act('look'), { idempotent: true });
`;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'takeover-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  effects = join(folder, 'effects');
  await writeFile(effects, '');
  const app = join(folder, 'agents', 'careful');
  await mkdir(app, { recursive: true });
  const named = ['count', 'pay', 'look'].map((name) => `  - name: tools.${name}\n`).join('');
  await writeFile(join(app, 'root_agent.yaml'), `name: careful\nmodel: echo/default\ntools:\n${named}`);
  await writeFile(join(app, 'tools.ts'), tools(effects));
  const database = resources.use(await testDatabaseUrl());
  const env = { AGENTS_DIR: join(folder, 'agents'), RUNS_TOOL_TIMEOUT_SECONDS: '600' };
  mesh = resources.use(await startMesh({ mode: 'separate', databaseUrl: database.url, env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

const effectsOf = async () => (await readFile(effects, 'utf8')).split('\n').filter((line) => line !== '');

async function start(session: SessionJson, text: string): Promise<string> {
  const { body } = await caller.request<{ invocationId: string }>('POST', '/runs', runBody(session, text));
  return body.invocationId;
}

test('kill -9 of the executor: its runs go on with another within 15 s, and no tool works twice that does not say it may', {
  timeout: 120_000,
}, async () => {
  const [paying, looking] = [await caller.createSession('careful'), await caller.createSession('careful')];
  const texts = ['[[tool:count {}]] [[tool:pay {}]] paid', '[[tool:count {}]] [[tool:look {}]] looked'] as const;
  const ids = [await start(paying, texts[0]), await start(looking, texts[1])];
  const patience = { timeout: 30_000 };
  await expect.poll(async () => (await effectsOf()).toSorted(), patience).toEqual(['count', 'count', 'look', 'pay']);
  await mesh.kill('runs');
  const killedAt = Date.now();
  await mesh.restart();
  for (const id of ids) {
    const run = async () => (await caller.request('GET', `/runs/${id}`)).body;
    await expect.poll(run, { timeout: 60_000 }).toMatchObject({ status: 'completed', attempt: 2 });
  }
  expect(Date.now() - killedAt).toBeLessThan(30_000);
  expect((await effectsOf()).toSorted()).toEqual(['count', 'count', 'look', 'look', 'pay']);
  const [paid, looked] = await Promise.all([paying, looking].map((session) => caller.readSession(session)));
  expect(JSON.stringify(paid?.events)).toContain('outcome unknown');
  expect(JSON.stringify(looked?.events)).not.toContain('outcome unknown');
  expect(textOf(paid?.events.at(-1))).toContain('paid');
  expect(textOf(looked?.events.at(-1))).toContain('looked');
  expect(paid?.events.map(({ author }) => author)).toHaveLength(6);
});
