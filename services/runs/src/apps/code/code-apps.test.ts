import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../../test/is-running.ts';
import { openCodeApps } from '../../../test/open-code-apps.ts';
import { type AgentBench, createAppBench, type Seen } from '../../../test/run-agents.ts';
import type { App } from '../building/app.ts';

const folder = await mkdtemp(join(tmpdir(), 'code-'));
const apps = openCodeApps({ memoryMb: 300, env: { WEATHER_KEY: 'given' }, toolTimeoutMs: 3_000 });
const hasty = openCodeApps({ busyMs: 5_000, env: { WEATHER_KEY: 'given' } });

async function put(file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function load(present?: App): Promise<App> {
  const request = { appName: 'zoo', folder, entry: 'agent.ts' };
  return apps.load({ request, text: '', language: 'typescript' }, present);
}

afterAll(async () => {
  vi.unstubAllEnvs();
  apps[Symbol.dispose]();
  hasty[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

/** One app with an agent of each kind: the first word of the message names the agent. */
const zoo = `
import {
  AgentTool, BaseAgent, BaseToolset, Context, Event, FunctionTool, InvocationContext, LlmAgent, LongRunningFunctionTool, LoopAgent,
  ParallelAgent, SequentialAgent, createEvent,
} from '@google/adk';
import { z } from 'zod';
import { report } from './report.js';
import { dangers } from './dangers';

enum Unit { Celsius = 'C' }

const getWeather = new FunctionTool({
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }, context?: Context) => {
    context?.state.set('city', city);
    return report(city, Unit.Celsius);
  },
});
const save = new FunctionTool({
  name: 'save',
  description: 'Saves a text.',
  execute: async (_: unknown, context) => ({ version: await context!.saveArtifact('note.txt', { text: 'hello' }) }),
});
const look = new FunctionTool({
  name: 'look',
  description: 'Shows what code can see.',
  execute: (_: unknown, context) => ({
    env: Object.keys(process.env).filter((name) => /KEY|DATABASE|SECRET|TOKEN/.test(name)),
    key: (context as { idempotencyKey?: string }).idempotencyKey,
    call: context?.functionCallId,
  }),
});
const ask = new LongRunningFunctionTool({ name: 'ask', description: 'Asks a human.', execute: () => undefined });
const model = 'echo/echo';
const expert = new LlmAgent({ name: 'expert', model, description: 'Knows more.' });
const step = (name: string) => new LlmAgent({ name, model, outputKey: name });

class Zoo extends BaseAgent {
  protected async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, void> {
    const answered = context.userContent?.parts?.[0]?.functionResponse;
    const [name, size] = answered ? ['plain'] : (context.userContent?.parts?.[0]?.text ?? '').split(' ');
    const agent = this.subAgents.find((one) => one.name === name);
    if (agent) yield* agent.runAsync(context);
    else yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text: 'no ' + name.padEnd(Number(size ?? 0)) }] } });
  }
  protected async *runLiveImpl(): AsyncGenerator<Event, void, void> {}
}

class Away extends BaseToolset { constructor() { super([]); }
  async getTools(): Promise<never> { throw new Error('no server'); }
  async close() {}
}

class Talker extends BaseAgent {
  protected async *runAsyncImpl(): AsyncGenerator<Event, void, void> {
    for (let word = 0; word < 500; word++) {
      yield createEvent({ author: this.name, partial: true, content: { role: 'model', parts: [{ text: 'word ' }] } });
    }
    yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text: 'the end' }] } });
  }
  protected async *runLiveImpl(): AsyncGenerator<Event, void, void> {}
}

export const rootAgent = new Zoo({
  name: 'zoo',
  description: 'All kinds.',
  subAgents: [
    new LlmAgent({
      name: 'plain', model, tools: [getWeather, save, look, ask, Object.assign(new AgentTool({ agent: expert }), { timeoutSeconds: 60 }), ...dangers, new Away()],
    }),
    new SequentialAgent({ name: 'sequence', subAgents: [step('one'), step('two')] }),
    new ParallelAgent({ name: 'parallel', subAgents: [step('left'), step('right')] }),
    new LoopAgent({ name: 'loop', maxIterations: 2, subAgents: [step('again')] }),
    new LlmAgent({
      name: 'checked', model,
      beforeModelCallback: ({ request }) =>
        JSON.stringify(request.contents).includes('forbidden')
          ? { content: { role: 'model', parts: [{ text: 'Not that.' }] } }
          : undefined,
    }),
    new LlmAgent({ name: 'strange', model: 'nobody/knows' }),
    new Talker({ name: 'talker' }),
  ],
});
`;

const dangers = `
import { spawn } from 'node:child_process';
import { FunctionTool } from '@google/adk';
const tool = (name: string, execute: () => unknown) => new FunctionTool({ name, description: name, execute });
// Longer than any busy machine needs.
const patient = (name: string, execute: () => unknown) => Object.assign(tool(name, execute), { timeoutSeconds: 60 });
const kept: unknown[] = [];
export const dangers = [
  tool('odd', () => ({ f: () => 1, n: 1 })),
  tool('circular', () => { const a: { a?: unknown } = {}; a.a = a; return a; }),
  tool('huge', () => ({ text: 'x'.repeat(2_000_000) })),
  tool('print', () => { for (let i = 0; i < 8; i++) process.stdout.write('x'.repeat(1_000_000)); return 'done'; }),
  patient('forge', () => new Promise(() => process.send?.(null))),
  tool('fail', () => { throw new Error('boom'); }),
  tool('hang', () => new Promise(() => {})),
  tool('leak', () => { for (;;) kept.push(new Array(1_000).fill(Math.random())); }),
  patient('fill', async () => {
    for (;;) { kept.push(Buffer.alloc(10_000_000, 1)); await new Promise((resolve) => setImmediate(resolve)); }
  }),
  patient('crash', () => new Promise(() => { setImmediate(() => { throw new Error('crashed here'); }); })),
  tool('exit', () => process.exit(3)),
  tool('start', () => ({ pid: spawn('sleep', ['1000'], { stdio: 'ignore' }).pid })),
  patient('patient', () => new Promise((resolve) => setTimeout(resolve, 3_300, 'done'))),
];
`;

let bench: AgentBench;

beforeAll(async () => {
  await put('agent.ts', zoo);
  await put('package.json', JSON.stringify({ agentmesh: { env: ['WEATHER_KEY'], childProcesses: true } }));
  await put('dangers.ts', dangers);
  await put(
    'report.ts',
    'import type { City } from "./types.js";\n' +
      'import { Unit } from "./types.js";\n' +
      'export const report = (city: City, unit: Unit) => ({ report: `sunny in ${city}, 20 ${unit}` });',
  );
  await put('types.ts', 'export type City = string; export type Unit = string;');
  for (const name of ['OPENAI_API_KEY', 'DATABASE_URL']) vi.stubEnv(name, 'secret-of-the-server');
  bench = createAppBench(await load());
});

const textsOf = ({ events }: Seen): unknown[] =>
  events
    .flatMap(({ content }) => (content as { parts: { text?: string }[] } | undefined)?.parts ?? [])
    .map(({ text }) => text);

/** The response of the tool that a message of the echo model calls. */
async function callTool(name: string, args = {}): Promise<Record<string, unknown>> {
  const seen = await bench.run({ text: `plain [[tool:${name} ${JSON.stringify(args)}]]` });
  expect(seen.failure).toBeUndefined();
  const parts = seen.events.flatMap(({ content }) => (content as { parts: object[] }).parts);
  const found = parts.find((part) => 'functionResponse' in part) as { functionResponse: { response: object } };
  return { ...found.functionResponse.response };
}

describe('an app in code', () => {
  test('runs its tools, with state, modules and enums', async () => {
    expect(await callTool('get_weather', { city: 'Rome' })).toEqual({ report: 'sunny in Rome, 20 C' });
    expect(bench.sessions.state(bench.key)).toMatchObject({ city: 'Rome' });
  });

  test('runs workflow agents, subclasses of BaseAgent, callbacks, and agents as tools within the limit of the run', async () => {
    expect(textsOf(await bench.run({ text: 'nobody' }))).toEqual(['no nobody']);
    expect((await bench.run({ text: 'sequence' })).events.map(({ author }) => author)).toEqual(['one', 'two']);
    const both = (await bench.run({ text: 'parallel' })).events.map(({ author }) => author);
    expect(new Set(both)).toEqual(new Set(['left', 'right']));
    expect((await bench.run({ text: 'loop' })).events.map(({ author }) => author)).toEqual(['again', 'again']);
    expect(textsOf(await bench.run({ text: 'checked forbidden' }))).toEqual(['Not that.']);
    expect(await callTool('expert', { request: 'hello' })).toEqual({ result: 'hello' });
    const few = createAppBench(bench.app, { limits: { modelCalls: 2 } });
    expect(JSON.stringify(await few.run({ text: 'plain [[tool:expert {"request":"x"}]]' }))).toContain('MODEL_CALLS');
  });

  test('a long-running tool leaves the run waiting, and its answer goes on', async () => {
    const { events } = await bench.run({ text: 'plain [[tool:ask {}]]' });
    const [id] = (events[0]?.['longRunningToolIds'] ?? []) as string[];
    const response = { functionResponse: { id, name: 'ask', response: { result: 'yes' } } };
    const answered = await bench.run({ message: { role: 'user', parts: [response] } });
    expect(textsOf(answered)).toEqual(['plain \nask: {"result":"yes"}']);
  });

  test('sees no secrets of the server, only the variables that it is given', async () => {
    expect(await callTool('look')).toMatchObject({ env: ['WEATHER_KEY'] });
  });

  test('a call of a tool has a key of its own that holds its run and its id', async () => {
    const first = await callTool('look');
    const second = await callTool('look');
    expect(first['key']).toMatch(/^e-.+\/adk-/);
    expect(first['key']).toContain(String(first['call']));
    expect(second['key']).not.toBe(first['key']);
  });

  test('a model that does not exist, and an event that is too large, fail the run', async () => {
    expect(JSON.stringify((await bench.run({ text: 'strange' })).events)).toContain('nobody/knows');
    expect(JSON.stringify((await bench.run({ text: 'huge 20000000' })).events)).toContain('larger than 16777216 bytes');
  });

  test('partial events are streamed', async () => {
    const seen = await bench.run({ text: 'sequence of words', streaming: true });
    expect(seen.events.filter(({ partial }) => partial === true).length).toBeGreaterThan(2);
    expect(seen.events.at(-1)).toMatchObject({ author: 'two', partial: false });
    expect(textsOf(await bench.run({ text: 'talker', streaming: true })).at(-1)).toBe('the end');
  });
});

describe('a tool that fails', () => {
  test('tells the model, and the run goes on', async () => {
    expect(await callTool('fail')).toEqual({ error: "Error in tool 'fail': boom" });
  });

  test('by an answer that is too large or no JSON tells the model, and what it prints is bounded', async () => {
    expect(await callTool('odd')).toEqual({ n: 1 });
    expect(await callTool('circular')).toEqual({
      error: 'The tool circular answered with something that is not JSON.',
    });
    expect(await callTool('huge')).toEqual({ error: 'The tool huge answered with more than 1048576 bytes.' });
    expect(await callTool('print')).toEqual({ result: 'done' });
  });

  test('by not answering tells the model within its timeout, and one with a limit of its own may take longer', async () => {
    const [hung, patient] = await Promise.all([callTool('hang'), createOther('patient')]);
    expect(hung).toEqual({ error: 'The tool hang did not answer within 3 s.' });
    expect(patient).toContain('"done"');
  });

  test.each([
    ['leak', 'it used more than 300 MB while the tool "leak" ran'],
    ['fill', 'it used more than 300 MB while the tool "fill" ran'],
    ['crash', 'dangers.ts:20:73: Error: crashed here while the tool "crash" ran'],
    ['forge', 'it said to its host what cannot be understood while the tool "forge" ran'],
    ['exit', 'it exited with code 3 while the tool "exit" ran'],
  ])('%s: ends the run as failed with its name, and the next run has a new worker', async (name, reason) => {
    const seen = await bench.run({ text: `plain [[tool:${name} {}]]` });
    const errorMessage = `The code of the app "zoo" was ended: ${reason}.`;
    expect(seen.events.at(-1)).toMatchObject({ errorCode: 'APP_CODE_ENDED', errorMessage });
    expect(await callTool('get_weather', { city: 'Rome' })).toHaveProperty('report');
  });
});

test('code that loops ends the run as failed with the name of its tool', async () => {
  const text = `
    import { FunctionTool, LlmAgent } from '@google/adk';
    const spin = new FunctionTool({ name: 'spin', description: 'Loops.', execute: () => { for (;;); } });
    export const rootAgent = new LlmAgent({ name: 'spinner', model: 'echo/echo', tools: [spin] });`;
  await put('spinner.ts', text);
  const request = { appName: 'spinner', folder, entry: 'spinner.ts' };
  const spinner = await hasty.load({ request, text: '', language: 'typescript' }, undefined);
  const { events } = await createAppBench(spinner).run({ text: '[[tool:spin {}]]' });
  const errorMessage =
    'The code of the app "spinner" was ended: it was busy for more than 5 s while the tool "spin" ran.';
  expect(events.at(-1)).toMatchObject({ errorCode: 'APP_CODE_ENDED', errorMessage });
});

test('a worker that ends takes the processes with it that its code has started', async () => {
  const { pid } = await callTool('start');
  expect(isRunning(Number(pid))).toBe(true);
  await bench.run({ text: 'plain [[tool:exit {}]]' });
  await vi.waitFor(() => expect(isRunning(Number(pid))).toBe(false), { timeout: 30_000 });
});

/** Calls a tool in another session of the same app. */
async function createOther(name: string): Promise<string> {
  const other = createAppBench(bench.app);
  return JSON.stringify(await other.run({ text: `plain [[tool:${name} {}]]` }));
}

test('a changed app is a new worker, and a run that goes on finishes on the old one', async () => {
  const app = bench.app;
  expect(await load(app)).toBe(app);
  const { seen } = await bench.begin({ text: 'plain [[tool:patient {}]]' });
  await put('report.ts', 'export const report = () => ({ report: "changed" });');
  const changed = await load(app);
  app.retire?.();
  const fresh = createAppBench(changed);
  expect(JSON.stringify(await fresh.run({ text: 'plain [[tool:get_weather {"city":"Rome"}]]' }))).toContain('changed');
  expect(JSON.stringify(await seen)).toContain('"done"');
});
