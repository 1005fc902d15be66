import { randomUUID } from 'node:crypto';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { type HostileModel, type Hostility, startHostileModel } from '../fakes/hostile-model.ts';
import { type FakeMcpServer, startMcpServer } from '../fakes/mcp/index.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

const isFull = process.env['VERIFY'] === 'full';
// Runs at once, and the heap of the process that executes them in MiB.
const [atOnce, heapMb] = isFull ? [1_024, 1_024] : [64, 256];
/** Most milliseconds of the p99 of a stranger's runs where docs/performance.md has `p99Ms`: four times as long, because machines differ and may be busy. */
const mostMs = (p99Ms: number): number => Math.max(4 * p99Ms, 1_000);
/** Longest run of a stranger in milliseconds beside 64 hostile ones; without the turns of answers it takes 20 s. */
const longestMs = 10_000;

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let model: HostileModel;
let mcp: FakeMcpServer;
let greedy: Caller;
let stranger: Caller;
/** Starts of the process that executes runs. */
let starts = 0;

beforeAll(async () => {
  model = resources.use(await startHostileModel());
  mcp = resources.use(await startMcpServer());
  const tools = Array.from({ length: 100 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }));
  mcp.odd.set('tools/list', {
    result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools, nextCursor: 'more' },
  });
  const { url } = resources.use(await testDatabaseUrl());
  const ownEnv = (name: string): Record<string, string> => {
    if (name !== 'runs') return {};
    starts += 1;
    return { NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
  };
  const [here, seconds] = ['127.0.0.1/32', '5'];
  const env = { MODEL_API_BASE_ALLOW: here, RUNS_MCP_ALLOW: here, RUNS_MODEL_TIMEOUT_SECONDS: seconds };
  mesh = resources.use(await startMesh({ mode: 'separate', databaseUrl: url, env, ownEnv }));
  [greedy, stranger] = [await newAccount(mesh.url), await newAccount(mesh.url)];
});
afterAll(() => resources.disposeAsync());

/** A model whose answer never ends, or an MCP server whose list of tools never does. */
type Kind = Hostility | 'tools';

async function createAgent(kind: Kind): Promise<string> {
  const agent = {
    agent_name: kind,
    agent_description: 'asks a hostile server',
    agent_instruction: 'Be brief.',
    agent_type: 'llm',
    ...(kind === 'tools'
      ? // Each session has a header of its own, and so a connection of its own.
        { agent_model: 'echo/echo', mcp_servers: [{ url: mcp.url, state_header_mapping: { t: 'x-t' } }] }
      : { agent_model: 'openai/x', agent_model_params: { model_api_base: `${model.url}/${kind}` } }),
  };
  const { status, body } = await greedy.request<{ agent_id: string }>('POST', '/api/agents', agent);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.agent_id;
}

/** Milliseconds of runs of the stranger in ascending order: one after the other while others run, at least twenty. */
async function timesBeside(others: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  others.then(end, end);
  const session = await stranger.createSession();
  const times: number[] = [];
  while (!isOver || times.length < 20) {
    const startedAt = performance.now();
    expect((await stranger.run(session, 'hello')).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((one, other) => one - other);
}

const tooLarge = ['MODEL_ANSWER_TOO_LARGE', 'RESOURCE_EXHAUSTED'];

test.each<{ kind: Kind; codes: (string | undefined)[]; p99Ms: number }>([
  { kind: 'line', codes: tooLarge, p99Ms: 1148 },
  { kind: 'deep', codes: tooLarge, p99Ms: 319 },
  { kind: 'events', codes: tooLarge, p99Ms: 409 },
  { kind: 'body', codes: tooLarge, p99Ms: 374 },
  { kind: 'headers', codes: ['MODEL_UNREACHABLE', 'DEADLINE_EXCEEDED'], p99Ms: 175 },
  { kind: 'drip', codes: ['DEADLINE_EXCEEDED'], p99Ms: 256 },
  { kind: 'tools', codes: [undefined], p99Ms: 330 },
])(
  'many runs whose server never ends its answer ($kind) kill no process and hold up no other account',
  { timeout: 180_000 },
  async ({ kind, codes, p99Ms }) => {
    const app = await createAgent(kind);
    const run = async (): Promise<string | undefined> => {
      const session = await greedy.createSession(app, { state: { t: randomUUID() } });
      const frames = await greedy.runSse(session, 'hello', { streaming: kind !== 'body' });
      const code = frames.findLast((frame) => 'errorCode' in frame)?.errorCode;
      return typeof code === 'string' ? code : undefined;
    };
    const runs = Promise.all(Array.from({ length: atOnce }, run));
    const times = await timesBeside(runs);
    const [median = 0, slow = 0, slowest = 0] = [0.5, 0.99, 1].map((part) => times[Math.ceil(part * times.length) - 1]);
    const told = [median, slow, slowest].map((ms) => Math.round(ms)).join(', ');
    if (isFull) process.stdout.write(`${kind}: ${times.length} runs of a stranger, p50, p99 and longest ms: ${told}\n`);
    expect(isFull ? slow : slowest).toBeLessThan(isFull ? mostMs(p99Ms) : longestMs);
    expect(codes).toEqual(expect.arrayContaining([...new Set(await runs)]));
    expect(mesh.lines.filter((line) => line.includes('heap out of memory'))).toEqual([]);
    await mesh.restart();
    expect(starts).toBe(1);
    await expect.poll(() => model.open).toBe(0);
    if (kind === 'tools')
      expect(mcp.calls.filter(({ method }) => method === 'tools/list').length).toBeGreaterThan(atOnce);
  },
);
