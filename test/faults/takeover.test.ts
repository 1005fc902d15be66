import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamResponse } from '@a2a-js/sdk';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, textOf } from '../caller.ts';
import { answerOf, clientOf, fold, request } from '../e2e/doors/a2a-client.ts';
import { saidIn } from '../e2e/doors/agui-page.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let caller: Caller;
let effects: string;
let openAi: FakeOpenAi;
let databaseUrl: string;

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
  await writeFile(join(app, 'package.json'), JSON.stringify({ agentmesh: { read: [effects], write: [effects] } }));
  await cp(join(agentsDir, 'digest'), join(folder, 'agents', 'digest'), { recursive: true });
  const database = resources.use(await testDatabaseUrl());
  databaseUrl = database.url;
  openAi = resources.use(await startFakeOpenAi());
  const env = {
    AGENTS_DIR: join(folder, 'agents'),
    RUNS_TOOL_TIMEOUT_SECONDS: '600',
    OPENAI_BASE_URL: openAi.baseUrl,
    OPENAI_API_KEY: 'sk-test',
  };
  mesh = resources.use(await startMesh({ mode: 'separate', apart: ['runs'], databaseUrl: database.url, env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

const effectsOf = async () => (await readFile(effects, 'utf8')).split('\n').filter((line) => line !== '');

/** The lifetime of a lease by default (SESSIONS_LEASE_SECONDS). */
const leaseMs = 10_000;

/** When the leases of the executors of running runs end, in milliseconds; one for each run. */
async function leaseEnds(): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const text = `select extract(epoch from alive_until)::float8 * 1000 as end from sessions.runs join sessions.executors using (owner) where status = 'running'`;
  const { rows } = await client.query<{ end: number }>(text);
  await client.end();
  return rows.map(({ end }) => end);
}

/** The time is over in which the runs belong to a dead process. */
async function endLeases(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`update sessions.runs set due_at = now() where status = 'running'`);
  await client.end();
}

async function start(session: SessionJson, text: string): Promise<string> {
  const { body } = await caller.request<{ invocationId: string }>('POST', '/runs', runBody(session, text));
  return body.invocationId;
}

test('kill -9 of the executor: its runs go on with another when its lease has ended, and no tool works twice that does not say it may', {
  timeout: 120_000,
}, async () => {
  const [paying, looking] = [await caller.createSession('careful'), await caller.createSession('careful')];
  const texts = ['[[tool:count {}]] [[tool:pay {}]] paid', '[[tool:count {}]] [[tool:look {}]] looked'] as const;
  const ids = [await start(paying, texts[0]), await start(looking, texts[1])];
  const patience = { timeout: 30_000 };
  await expect.poll(async () => (await effectsOf()).toSorted(), patience).toEqual(['count', 'count', 'look', 'pay']);
  await mesh.kill('runs');
  const leases = await leaseEnds();
  const deadBy = Date.now();
  expect(leases).toHaveLength(2);
  // Another executor looks every second, so that the runs go on within 15 s.
  for (const end of leases) expect(end - deadBy).toBeLessThanOrEqual(leaseMs);
  await endLeases();
  await mesh.restart();
  for (const id of ids) {
    const run = async () => (await caller.request('GET', `/runs/${id}`)).body;
    await expect.poll(run, { timeout: 60_000 }).toMatchObject({ status: 'completed', attempt: 2 });
  }
  expect((await effectsOf()).toSorted()).toEqual(['count', 'count', 'look', 'look', 'pay']);
  const [paid, looked] = await Promise.all([paying, looking].map((session) => caller.readSession(session)));
  expect(JSON.stringify(paid?.events)).toContain('outcome unknown');
  expect(JSON.stringify(looked?.events)).not.toContain('outcome unknown');
  expect(textOf(paid?.events.at(-1))).toContain('paid');
  expect(textOf(looked?.events.at(-1))).toContain('looked');
  expect(paid?.events.map(({ author }) => author)).toHaveLength(6);
});

test('kill -9 of the executor: a call of a tool of /mcp, whose stream stays open, is answered by the next one', {
  timeout: 120_000,
}, async () => {
  const client = new Client({ name: 'a client', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${caller.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${mesh.url}/mcp`), { requestInit }));
  const call = { name: 'careful', arguments: { message: 'over [[wait:3000]]there' } };
  const onprogress = vi.fn<(progress: object) => void>();
  const answered = client.callTool(call, undefined, { timeout: 100_000, onprogress });
  // The gateway follows the run: a call whose start nobody answered would be one whose outcome is unknown.
  await expect.poll(() => onprogress.mock.calls.length, { timeout: 30_000 }).toBeGreaterThan(0);
  await mesh.kill('runs');
  await endLeases();
  await mesh.restart();
  expect(await answered).toMatchObject({ structuredContent: { status: 'completed', text: 'over there' } });
  await client.close();
});

test('kill -9 of the executor: a page of AG-UI that comes back with its runId gets the whole answer once', {
  timeout: 120_000,
}, async () => {
  const messages = [{ id: 'm', role: 'user', content: 'over [[wait:5000]]there' }];
  const show = () => caller.fetch('POST', '/agui/careful', { threadId: 'page', runId: 'page-run', messages });
  const stream = (await show()).body?.pipeThrough(new TextDecoderStream()) ?? [];
  let text = '';
  const staying = (async () => {
    for await (const piece of stream) text += piece;
  })();
  await expect.poll(() => saidIn(text), { timeout: 30_000 }).toBe('over ');
  await mesh.kill('runs');
  await endLeases();
  await mesh.restart();
  await staying;
  // The stream ends with an error when no executor starts within some seconds.
  expect('over there').toContain(saidIn(text));
  expect(saidIn(await (await show()).text())).toBe('over there');
  const { body } = await caller.request('GET', '/runs/page-run');
  expect(body).toMatchObject({ status: 'completed', attempt: 2 });
});

test('kill -9 of the executor: the stream of a response goes on with the next one, and from each place in it', {
  timeout: 120_000,
}, async () => {
  const client = new OpenAI({ baseURL: `${mesh.url}/v1`, apiKey: caller.token ?? '', maxRetries: 0 });
  const body = { model: 'careful', input: 'one [[wait:5000]]two', background: true } as const;
  const { id } = await client.responses.create(body);
  const seen: ResponseStreamEvent[] = [];
  const read = async (into: ResponseStreamEvent[], query: { starting_after?: number } = {}) => {
    for await (const event of await client.responses.retrieve(id, { stream: true, ...query })) into.push(event);
    return into;
  };
  const textOfEvents = (events: readonly ResponseStreamEvent[]) =>
    events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
  const whole = read(seen);
  await expect.poll(() => textOfEvents(seen), { timeout: 30_000 }).toBe('one ');
  await expect.poll(leaseEnds, { timeout: 30_000 }).toHaveLength(1);
  await mesh.kill('runs');
  const late = read([], { starting_after: seen.at(-1)?.sequence_number ?? 0 });
  await endLeases();
  await mesh.restart();
  const all = await whole;
  const { output_text: said } = await client.responses.retrieve(id);
  expect([textOfEvents(all), `one ${textOfEvents(await late)}`]).toEqual([said, said]);
  let before = '';
  for (const event of all) {
    before += textOfEvents([event]);
    const rest = await read([], { starting_after: event.sequence_number });
    expect(before + textOfEvents(rest)).toBe(said);
    expect(rest.at(-1)).toMatchObject({ type: 'response.completed' });
  }
});

test('kill -9 of the executor: a client of Agent2Agent that stays or comes back gets the answer once', {
  timeout: 120_000,
}, async () => {
  const client = await clientOf(caller, 'careful');
  const pieces: StreamResponse[] = [];
  const staying = (async () => {
    for await (const piece of client.sendMessageStream(request('over [[wait:5000]]there'))) pieces.push(piece);
  })();
  const told = () => pieces.some(({ payload }) => payload?.$case === 'artifactUpdate');
  await expect.poll(told, { timeout: 30_000 }).toBe(true);
  await mesh.kill('runs');
  await endLeases();
  await mesh.restart();
  await staying;
  const { task } = await fold(pieces);
  expect(answerOf(task)).toBe('over there');
  expect(answerOf((await fold(client.resubscribeTask({ tenant: '', id: task.id }))).task)).toBe('over there');
});

test('kill -9 of the executor: a chat that is opened again has the whole answer, which begins with what was told before', {
  timeout: 120_000,
}, async () => {
  const headers = { authorization: `Bearer ${caller.token}` };
  const transport = new DefaultChatTransport({ api: `${mesh.url}/api/chat/careful`, headers });
  const parts = [{ type: 'text' as const, text: 'first [[wait:5000]]second' }];
  const asked = { trigger: 'submit-message', chatId: 'killed', messageId: undefined, abortSignal: undefined } as const;
  const stream = await transport.sendMessages({ ...asked, messages: [{ id: 'm1', role: 'user', parts }] });
  let told = '';
  const wordsOf = async (chunks: typeof stream | null) => {
    if (chunks === null) throw new Error('the run is over');
    let words = '';
    for await (const message of readUIMessageStream({ stream: chunks }))
      told = words = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return words;
  };
  const words = wordsOf(stream);
  await expect.poll(() => told, { timeout: 30_000 }).toBe('first ');
  await mesh.kill('runs');
  await endLeases();
  await mesh.restart();
  // The first stream goes on if the executor is back within ten seconds.
  const again = wordsOf(await transport.reconnectToStream({ chatId: 'killed' }));
  expect(['first ', 'first second']).toContain(await words);
  expect(await again).toBe('first second');
});

const summaryCalls = () => openAi.requests.filter(({ model }) => model === 'summary-model').length;

/** The time is over in which only one process may summarize the session. */
async function endClaim(session: SessionJson): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('update sessions.sessions set compacting_until = now() where id = $1', [session.id]);
  await client.end();
}

test('a summary that fails ends no run, and is made after a later turn', { timeout: 120_000 }, async () => {
  const session = await caller.createSession('digest');
  const summaries = async () =>
    (await caller.readSession(session)).events.filter(({ actions }) => actions['compaction']);
  await caller.run(session, 'one');
  openAi.answer({ text: 'said' }, { status: 400, error: { message: 'no' } });
  expect((await caller.run(session, 'two')).status).toBe(200);
  await expect.poll(summaryCalls, { timeout: 30_000 }).toBe(1);
  expect((await caller.run(session, 'three')).status).toBe(200);
  await endClaim(session);
  expect((await caller.run(session, 'four')).status).toBe(200);
  await expect.poll(summaries, { timeout: 30_000 }).toHaveLength(1);
  expect(summaryCalls()).toBe(2);
});

test('kill -9 while a session is summarized: nothing of it is stored, turns go on, and a later turn has it summarized once', {
  timeout: 120_000,
}, async () => {
  const patience = { timeout: 30_000 };
  const session = await caller.createSession('digest');
  const read = async () => (await caller.readSession(session)).events;
  const summaries = async () => (await read()).filter(({ actions }) => actions['compaction']);
  const before = summaryCalls();
  await caller.run(session, 'one');
  openAi.answer({ text: 'said' }, 'hang');
  await caller.run(session, 'two');
  await expect.poll(summaryCalls, patience).toBe(before + 1);
  await mesh.kill('runs');
  await mesh.restart();
  const answered = async () => (await caller.run(session, 'three')).status;
  await expect.poll(answered, patience).toBe(200);
  expect(summaryCalls()).toBe(before + 1);
  expect(await summaries()).toEqual([]);
  // The dead process had the session for two minutes.
  await endClaim(session);
  await caller.run(session, 'four');
  await expect.poll(summaries, patience).toHaveLength(1);
  const texts = (await read()).map(textOf).filter((text) => text !== '' && text !== 'ok' && text !== 'said');
  expect(texts.filter((text, index) => texts.indexOf(text) === index)).toEqual(['one', 'two', 'three', 'four']);
});
