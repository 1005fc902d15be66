import { hostname } from 'node:os';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Caller, newAccount, runBody } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };
const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let mesh: TestMesh;
let caller: Caller;
let admin: Caller;
let opsUrl: string;
let opsUrlOfSessions: string;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi({ apiKey: 'sk-test-secret' }));
  const [opsPort = 0, opsPortOfSessions = 0] = await freePorts(2);
  opsUrl = `http://127.0.0.1:${opsPort}`;
  opsUrlOfSessions = `http://127.0.0.1:${opsPortOfSessions}`;
  const env = {
    AGENTS_DIR: agentsDir,
    OPENAI_BASE_URL: openAi.baseUrl,
    OPENAI_API_KEY: 'sk-test-secret',
    DEFAULT_SUPERADMIN_EMAIL: operator.email,
    DEFAULT_SUPERADMIN_PASSWORD: operator.password,
  };
  const opsPorts: Record<string, number> = { runs: opsPort, sessions: opsPortOfSessions };
  const ownEnv = (name: string) => ({ OPS_PORT: String(opsPorts[name] ?? 0) });
  const only = ['auth', 'sessions', 'runs', 'keys', 'artifacts'];
  const options = { databaseUrl: database.url, env, ownEnv, only, apart: ['keys', 'runs', 'sessions', 'artifacts'] };
  mesh = resources.use(await startMesh({ mode: 'separate', ...options }));
  caller = await newAccount(mesh.url);
  admin = new Caller(mesh.url);
  admin.token = (await admin.request<{ access_token: string }>('POST', '/api/auth/token', operator)).body.access_token;
});
afterAll(() => resources.disposeAsync());

/** Begins a run, and collects what its stream and its events say. */
async function begin(app = 'chat', text = 'hi') {
  const session = await caller.createSession(app);
  const response = await caller.fetch('POST', '/run_sse', runBody(session, text, { streaming: true }));
  const id = response.headers.get('x-invocation-id') ?? '';
  const events = await caller.fetch('GET', `/runs/${id}/events`);
  return { id, session, stream: collect(response), events: collect(events) };
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

/** Runs of the mesh with a status, by the metrics of sessions. */
async function unfinished(status: string): Promise<number> {
  const text = await (await fetch(`${opsUrlOfSessions}/metrics`)).text();
  return Number(new RegExp(`^agentmesh_runs_unfinished\\{status="${status}"\\} (\\d+)`, 'm').exec(text)?.[1]);
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
    expect((await admin.request('GET', `/api/admin/runs/${run.id}/why`)).body).toMatchObject({
      app: 'chat',
      status: 'running',
      pod: hostname(),
      holder: expect.stringMatching(/\/[0-9a-f-]{36}$/),
      waitingOn: 'keys',
      since: expect.any(String),
      queue: null,
    });
    const { body: next } = await caller.request<{ invocationId: string }>('POST', '/runs', runBody(run.session, 'and'));
    expect((await admin.request('GET', `/api/admin/runs/${next.invocationId}/why`)).body).toMatchObject({
      status: 'queued',
      waitingOn: 'queue',
      queue: { position: 1, ahead: [run.id] },
    });
    // Its wait in the queue would be about as long as that for the keys.
    await caller.request('POST', `/runs/${next.invocationId}/cancel`, {});
    await expect.poll(() => mesh.lines.find((line) => line.includes('"a run waits"'))).toContain('"waitingOn":"keys"');
  } finally {
    mesh.signal('keys', 'SIGCONT');
  }
  await Promise.all([run.stream.done, run.events.done]);
  expect(await recordOf(run.id)).toMatchObject({ status: 'completed' });
  await expect.poll(waitsInMetrics).toMatchObject({ keys: 0, model: 0 });
  const { body: slow } = await admin.request<Record<string, unknown>[]>('GET', '/api/admin/slow?minutes=60');
  expect(slow[0]).toMatchObject({
    reason: 'keys',
    spent: expect.arrayContaining([{ on: 'keys', seconds: expect.any(Number) }]),
  });
});

/** Until the wait of a run is in its stream, the metrics and the log. */
async function untilTold({ id, stream }: Awaited<ReturnType<typeof begin>>, on: string) {
  await expect.poll(stream.text).toContain(`: waiting for ${on}\n\n`);
  expect(await waitsInMetrics()).toMatchObject({ [on]: 1 });
  const warning = () => mesh.lines.find((line) => line.includes('"a run waits"') && line.includes(id));
  await expect.poll(warning).toContain(`"waitingOn":"${on}"`);
}

test('a run that waits for artifacts says so, is logged after ten seconds, and goes on when they answer again', async () => {
  mesh.signal('artifacts', 'SIGSTOP');
  const run = await begin('echo', '[[artifact:a.txt kept]]');
  try {
    await expect.poll(() => recordOf(run.id)).toMatchObject({ status: 'running', waitingOn: 'artifact' });
    await expect.poll(run.events.text).toContain(': waiting for artifact\n\n');
    await untilTold(run, 'artifact');
  } finally {
    mesh.signal('artifacts', 'SIGCONT');
  }
  await Promise.all([run.stream.done, run.events.done]);
  expect(await recordOf(run.id)).toMatchObject({ status: 'completed' });
});

test('a run that waits for an answer says so in its record, at the end of its streams, and in the metrics of sessions', async () => {
  const run = await begin('echo', '[[tool:request_input {"message": "Which?"}]]');
  await Promise.all([run.stream.done, run.events.done]);
  expect(run.stream.text()).toMatch(/: waiting for answer\n\n$/);
  expect(run.events.text()).toMatch(/"waitingOn":"answer"[^\n]*\n\n$/);
  expect(await recordOf(run.id)).toMatchObject({ status: 'waiting', waitingOn: 'answer', since: expect.any(Number) });
  expect((await admin.request('GET', `/api/admin/runs/${run.id}/why`)).body).toMatchObject({ waitingOn: 'answer' });
  await expect.poll(() => unfinished('waiting')).toBe(1);
  await caller.request('POST', `/runs/${run.id}/cancel`, {});
  await expect.poll(() => unfinished('waiting')).toBe(0);
});

test('a run whose events cannot be stored waits for its lease, is logged after ten seconds, and goes on', async () => {
  const run = await begin('echo', 'one [[wait:3000]] two');
  await expect.poll(run.stream.text).toContain('one');
  mesh.signal('sessions', 'SIGSTOP');
  try {
    await untilTold(run, 'lease');
  } finally {
    mesh.signal('sessions', 'SIGCONT');
  }
  await Promise.all([run.stream.done, run.events.done]);
  await expect.poll(() => recordOf(run.id)).toMatchObject({ status: 'completed', attempt: 1 });
});

test('the record of a run whose process is stopped says that it waits for a lease, until the process goes on', async () => {
  const run = await begin('echo', 'one [[wait:3000]] two');
  await expect.poll(run.stream.text).toContain('one');
  mesh.signal('runs', 'SIGSTOP');
  try {
    await expect.poll(() => recordOf(run.id)).toMatchObject({ status: 'running', waitingOn: 'lease' });
    const why = (await admin.request('GET', `/api/admin/runs/${run.id}/why`)).body;
    expect(why).toMatchObject({ waitingOn: 'lease', since: expect.any(String) });
  } finally {
    mesh.signal('runs', 'SIGCONT');
  }
  await expect.poll(() => recordOf(run.id)).toMatchObject({ status: 'completed', attempt: 1 });
  expect(await recordOf(run.id)).not.toHaveProperty('waitingOn');
});

test('administrators see which calls cost most, and nobody else does', async () => {
  await caller.run(await caller.createSession('chat'), 'hi');
  const rows = async () => (await admin.request<object[]>('GET', '/api/admin/usage?group_by=account,model,app')).body;
  const row = { app: 'chat', model: 'openai/test-model', account_id: expect.any(String), requests: expect.any(Number) };
  await expect.poll(rows).toEqual([expect.objectContaining(row)]);
  const { body: byModel } = await admin.request<object[]>('GET', '/api/admin/usage?group_by=model');
  expect(byModel).toEqual([expect.not.objectContaining({ account_id: expect.anything() })]);
  for (const path of ['usage', 'slow', 'runs/x/why'])
    expect(await caller.request('GET', `/api/admin/${path}`)).toMatchObject({
      status: 403,
      body: { code: 'not_enough_permissions' },
    });
  expect((await admin.request('GET', '/api/admin/runs/x/why')).status).toBe(404);
});
