import { readFileSync } from 'node:fs';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';
import { type Attacker, startAttacker } from './attacker.ts';
import type { Hostile } from './attacker-process.ts';

const isFull = process.env['VERIFY'] === 'full';
// Runs at once, and the heap of the process that executes them in MiB.
const [atOnce, heapMb] = isFull ? [1_024, 1_024] : [64, 256];
/** p99 of a stranger's runs in milliseconds where nobody else ran: the longest for which those below are taken as they are, and now. */
const quiet = { usual: 7, now: 0 };
/**
 * Most milliseconds of the p99 of a stranger's runs where the measurement that docs/performance.md has is `p99Ms`: four times as long and 60 ms at least, because machines differ, and more
 * where the machine was slower when nobody else ran.
 */
const mostMs = (p99Ms: number): number => Math.max(4 * p99Ms, 60) * Math.max(1, quiet.now / quiet.usual);
/** Longest run of a stranger in milliseconds beside 64 hostile ones; without the turns of answers it takes 20 s. */
const longestMs = 10_000;

const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let attacker: Attacker;
let greedy: Caller;
let stranger: Caller;
/** Starts of the process that executes runs. */
let starts = 0;

beforeAll(async () => {
  attacker = resources.use(await startAttacker());
  const { url } = resources.use(await testDatabaseUrl());
  const ownEnv = (name: string): Record<string, string> => {
    if (name !== 'runs') return {};
    starts += 1;
    return { NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
  };
  const [here, seconds] = ['127.0.0.1/32', '5'];
  const env = { MODEL_API_BASE_ALLOW: here, RUNS_MCP_ALLOW: here, RUNS_MODEL_TIMEOUT_SECONDS: seconds };
  // The figures of the full size are those of nine processes with the flags of `npm start` and of the image.
  const processes = isFull ? { nodeFlags: serverFlags() } : { apart: ['runs'] };
  mesh = resources.use(await startMesh({ mode: 'separate', ...processes, databaseUrl: url, env, ownEnv }));
  [greedy, stranger] = [await newAccount(mesh.url), await newAccount(mesh.url)];
  if (isFull)
    for (const what of ['warming up', 'quiet'])
      quiet.now = tell(what, await timesBeside(Promise.resolve(), 2_000)).slow;
});
afterAll(() => resources.disposeAsync());

function serverFlags(): string[] {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { config: { serverFlags: string } }).config.serverFlags.split(' ');
}

async function createAgent(kind: Hostile): Promise<string> {
  const agent = {
    agent_name: kind,
    agent_description: 'asks a hostile server',
    agent_instruction: 'Be brief.',
    agent_type: 'llm',
    ...(kind === 'tools'
      ? // Each session has a header of its own, and so a connection of its own.
        { agent_model: 'echo/echo', mcp_servers: [{ url: attacker.mcpUrl, state_header_mapping: { t: 'x-t' } }] }
      : kind === 'echo'
        ? { agent_model: 'echo/echo' }
        : { agent_model: 'openai/x', agent_model_params: { model_api_base: `${attacker.modelUrl}/${kind}` } }),
  };
  const { status, body } = await greedy.request<{ agent_id: string }>('POST', '/api/agents', agent);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.agent_id;
}

/** Milliseconds of runs of the stranger in ascending order: one after the other while others run, and a least number of them. */
async function timesBeside(others: Promise<unknown>, least = 20): Promise<number[]> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  others.then(end, end);
  const session = await stranger.createSession();
  const times: number[] = [];
  while (!isOver || times.length < least) {
    const startedAt = performance.now();
    expect((await stranger.run(session, 'hello')).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((one, other) => one - other);
}

/** Prints the median, the p99 and the longest of sorted times where they are measured. Answers the p99 and the longest. */
function tell(what: string, times: readonly number[]): { slow: number; slowest: number } {
  const [median = 0, slow = 0, slowest = 0] = [0.5, 0.99, 1].map((part) => times[Math.ceil(part * times.length) - 1]);
  const told = [median, slow, slowest].map((ms) => ms.toFixed(1)).join(', ');
  if (isFull) process.stdout.write(`${what}: ${times.length} runs of a stranger, p50, p99 and longest ms: ${told}\n`);
  return { slow, slowest };
}

// An account whose servers flood is read slowly, so some of its runs reach the time-out of the model.
const tooLarge = ['MODEL_ANSWER_TOO_LARGE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'];

test.each<{ kind: Hostile; codes: string[]; p99Ms: number }>([
  { kind: 'line', codes: tooLarge, p99Ms: 16 },
  { kind: 'deep', codes: tooLarge, p99Ms: 13 },
  { kind: 'events', codes: tooLarge, p99Ms: 9 },
  { kind: 'bytes', codes: tooLarge, p99Ms: 20 },
  { kind: 'body', codes: tooLarge, p99Ms: 11 },
  { kind: 'headers', codes: ['MODEL_ANSWER_TOO_LARGE', 'DEADLINE_EXCEEDED'], p99Ms: 12 },
  { kind: 'drip', codes: ['DEADLINE_EXCEEDED'], p99Ms: 12 },
  { kind: 'tools', codes: [''], p99Ms: 15 },
  // The same number of runs of an account that does nothing wrong, to compare with.
  { kind: 'echo', codes: [''], p99Ms: 16 },
])(
  'many runs at once, whatever their server answers ($kind), kill no process and hold up no other account',
  { timeout: 180_000 },
  async ({ kind, codes, p99Ms }) => {
    const app = await createAgent(kind);
    // Some runs are short: one for each client would be over before there are times enough.
    const each = isFull && (kind === 'echo' || kind === 'headers') ? 8 : 1;
    const attack = attacker.attack({ kind, url: mesh.url, token: greedy.token ?? '', app, atOnce, each });
    const times = await timesBeside(attack);
    const { slow, slowest } = tell(kind, times);
    expect(isFull ? slow : slowest).toBeLessThan(isFull ? mostMs(p99Ms) : longestMs);
    expect(codes).toEqual(expect.arrayContaining([...(await attack).codes]));
    expect(mesh.lines.filter((line) => line.includes('heap out of memory'))).toEqual([]);
    await mesh.restart();
    expect(starts).toBe(1);
    await expect.poll(() => attacker.open()).toBe(0);
    if (kind === 'tools') expect((await attack).lists).toBeGreaterThan(isFull ? 4_095 : 8 * atOnce);
  },
);
