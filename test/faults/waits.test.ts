import { freePorts } from '@agentmesh/lib/rpc/testing';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, runBody } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let mesh: TestMesh;
let caller: Caller;
let opsUrl: string;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi({ apiKey: 'sk-test-secret' }));
  const [opsPort = 0] = await freePorts(1);
  opsUrl = `http://127.0.0.1:${opsPort}`;
  const env = { AGENTS_DIR: agentsDir, OPENAI_BASE_URL: openAi.baseUrl, OPENAI_API_KEY: 'sk-test-secret' };
  const ownEnv = (name: string) => ({ OPS_PORT: name === 'runs' ? String(opsPort) : '0' });
  const only = ['auth', 'sessions', 'runs', 'keys'];
  mesh = resources.use(await startMesh({ mode: 'separate', databaseUrl: database.url, env, ownEnv, only }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

/** Begins a run of the agent `chat`, and collects what its stream and its events say. */
async function begin() {
  const session = await caller.createSession('chat');
  const response = await caller.fetch('POST', '/run_sse', runBody(session, 'hi'));
  const id = response.headers.get('x-invocation-id') ?? '';
  const events = await caller.fetch('GET', `/runs/${id}/events`);
  return { id, stream: collect(response), events: collect(events) };
}

function collect(response: Response) {
  let text = '';
  const done = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })();
  return { text: () => text, done };
}

const recordOf = async (id: string) => (await caller.request<Record<string, unknown>>('GET', `/runs/${id}`)).body;

async function waitsInMetrics(): Promise<Record<string, number>> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const lines = text.matchAll(/^agentmesh_runs_waiting\{on="(\w+)"\} (\d+)/gm);
  return Object.fromEntries(Array.from(lines, ([, on = '', count]) => [on, Number(count)] as const));
}

test('a run that waits for a model says so in its record, its streams and the metrics', async () => {
  openAi.answer('hang');
  const run = await begin();
  await expect
    .poll(() => recordOf(run.id))
    .toMatchObject({ status: 'running', waitingOn: 'model', since: expect.any(Number) });
  await expect.poll(run.stream.text).toContain(': waiting for model\n\n');
  await expect.poll(run.events.text).toContain(': waiting for model\n\n');
  expect(await waitsInMetrics()).toEqual({ model: 1, keys: 0, artifact: 0, lease: 0 });
  await caller.request('POST', `/runs/${run.id}/cancel`, {});
  await Promise.all([run.stream.done, run.events.done]);
  expect(await recordOf(run.id)).not.toHaveProperty('waitingOn');
});

test('a run that waits for keys says so, is logged after ten seconds, and goes on when they answer again', async () => {
  mesh.signal('keys', 'SIGSTOP');
  const run = await begin();
  try {
    await expect.poll(() => recordOf(run.id)).toMatchObject({ status: 'running', waitingOn: 'keys' });
    await expect.poll(run.stream.text).toContain(': waiting for keys\n\n');
    await expect.poll(() => mesh.lines.find((line) => line.includes('"a run waits"'))).toContain('"waitingOn":"keys"');
  } finally {
    mesh.signal('keys', 'SIGCONT');
  }
  await Promise.all([run.stream.done, run.events.done]);
  expect(await recordOf(run.id)).toMatchObject({ status: 'completed' });
  expect(await waitsInMetrics()).toMatchObject({ keys: 0, model: 0 });
});
