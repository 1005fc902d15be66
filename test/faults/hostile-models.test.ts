import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { type HostileModel, type Hostility, startHostileModel } from '../fakes/hostile-model.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

// Runs at once, and the heap of the process that executes them in MiB.
const [atOnce, heapMb] = process.env['VERIFY'] === 'full' ? [1_024, 1_024] : [64, 256];

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let model: HostileModel;
let greedy: Caller;
let stranger: Caller;
/** Starts of the process that executes runs. */
let starts = 0;

beforeAll(async () => {
  model = resources.use(await startHostileModel());
  const { url } = resources.use(await testDatabaseUrl());
  const ownEnv = (name: string): Record<string, string> => {
    if (name !== 'runs') return {};
    starts += 1;
    return { NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
  };
  const env = { MODEL_API_BASE_ALLOW: '127.0.0.1/32', RUNS_MODEL_TIMEOUT_SECONDS: '5' };
  mesh = resources.use(await startMesh({ mode: 'separate', databaseUrl: url, env, ownEnv }));
  [greedy, stranger] = [await newAccount(mesh.url), await newAccount(mesh.url)];
});
afterAll(() => resources.disposeAsync());

async function createAgent(hostility: Hostility): Promise<string> {
  const agent = {
    agent_name: hostility,
    agent_description: 'asks a hostile model',
    agent_instruction: 'Be brief.',
    agent_type: 'llm',
    agent_model: 'openai/x',
    agent_model_params: { model_api_base: `${model.url}/${hostility}` },
  };
  const { status, body } = await greedy.request<{ agent_id: string }>('POST', '/api/agents', agent);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.agent_id;
}

/** Longest time in milliseconds of some runs of the stranger, one after the other. */
async function slowest(runs: number): Promise<number> {
  const session = await stranger.createSession();
  let longest = 0;
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now();
    expect((await stranger.run(session, 'hello')).status).toBe(200);
    longest = Math.max(longest, performance.now() - startedAt);
  }
  return longest;
}

test.each<[Hostility, string[]]>([
  ['line', ['MODEL_ANSWER_TOO_LARGE', 'RESOURCE_EXHAUSTED']],
  ['deep', ['MODEL_ANSWER_TOO_LARGE', 'RESOURCE_EXHAUSTED']],
  ['events', ['MODEL_ANSWER_TOO_LARGE', 'RESOURCE_EXHAUSTED']],
  ['body', ['MODEL_ANSWER_TOO_LARGE', 'RESOURCE_EXHAUSTED']],
  ['headers', ['MODEL_UNREACHABLE']],
  ['drip', ['DEADLINE_EXCEEDED']],
])(
  'many runs whose model never ends its answer (%s) kill no process and hold up no other account',
  {
    timeout: 180_000,
  },
  async (hostility, codes) => {
    const app = await createAgent(hostility);
    const run = async (): Promise<string> => {
      const frames = await greedy.runSse(await greedy.createSession(app), 'hello', { streaming: hostility !== 'body' });
      return JSON.stringify(frames.findLast((frame) => 'errorCode' in frame)?.errorCode);
    };
    const runs = Array.from({ length: atOnce }, run);
    // Without the turns of answers it takes 20 s.
    expect(await slowest(20)).toBeLessThan(10_000);
    const ends = await Promise.all(runs);
    expect(codes.map((code) => JSON.stringify(code))).toEqual(expect.arrayContaining([...new Set(ends)]));
    expect(mesh.lines.filter((line) => line.includes('heap out of memory'))).toEqual([]);
    await mesh.restart();
    expect(starts).toBe(1);
    await expect.poll(() => model.open).toBe(0);
  },
);
