import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FunctionTool, LlmAgent } from '@google/adk/core';
import { type EndedSpan, startSpanWatching, watchSpan, watchSpans, withinSpan } from '@agentmesh/lib/spans';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { openCodeApps } from '../../../test/open-code-apps.ts';
import { createAgentBench, createAppBench } from '../../../test/run-agents.ts';
import { calls, says, ScriptLlm } from '../../../test/script-llm.ts';
import { SeenRun } from '../../../test/seen-run.ts';
import { guardTool } from '../entries/guard-tool.ts';
import { tellToolFailures } from '../entries/tell-tool-failures.ts';

const code = `
import { FunctionTool, LlmAgent } from '@google/adk';
const make = (name, execute) => new FunctionTool({ name, description: name, execute });
const spin = () => { for (const end = Date.now() + 4_000; Date.now() < end; ); return 'done'; };
const fall = () => { throw new TypeError('no luck'); };
const tools = [make('falls', fall), make('spins', spin)];
export const rootAgent = new LlmAgent({ name: 'agent', model: 'echo/echo', tools });
`;

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const said = (msg: string) => lines.filter((line) => line['msg'] === msg);
  return { log: createLogger({ level: 'info', name: 'test', destination }), said };
}

test('a tool in code that throws, or keeps its worker busy, is in the log with its name and its run, and in the spans of the run', {
  timeout: 60_000,
}, async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), code);
  const { log, said } = openLog();
  resources.use(startSpanWatching());
  const apps = resources.use(openCodeApps({ isTraced: true }, undefined, undefined, log));
  const request = { appName: 'faulty', folder, entry: 'agent.ts' };
  const bench = createAppBench(await apps.load({ request, text: '', language: 'typescript' }, undefined));
  const spans: EndedSpan[] = [];
  const fall = () => bench.run({ text: '[[tool:falls {}]]' });
  await watchSpans(
    (span) => spans.push(span),
    () => withinSpan({ name: 'invocation', attributes: {} }, fall),
  );
  expectTree(spans);
  const run = { app: 'faulty', sessionId: 's', invocationId: expect.any(String) };
  const err = { type: 'TypeError', message: 'no luck', stack: expect.stringContaining('agent.ts:5') };
  expect(said('a tool has failed')).toMatchObject([{ ...run, tool: 'falls', err }]);
  expect(said('the code of an app keeps its worker busy')).toEqual([]);
  await bench.run({ text: '[[tool:spins {}]]' });
  expect(said('the code of an app keeps its worker busy')).toMatchObject([{ app: 'faulty', tools: ['spins'] }]);
});

/** Sends spans as no tracer would: the line between the processes passes on what JSON has no words for. */
const forging = `
import { FunctionTool, LlmAgent } from '@google/adk';
const circle = {}; circle.circle = circle;
const attributes = { 'gen_ai.size': 10n, circle, odd: [1, 10n], none: undefined, endless: Infinity, kept: 'yes', list: ['a', 'b'] };
const span = { name: 'forged', traceId: '', spanId: '1', startTime: 1, endTime: 2, hasFailed: false, attributes };
const execute = () => { process.send({ kind: 'spans', run: 1, spans: [span] }); return 'done'; };
export const rootAgent = new LlmAgent({
  name: 'agent', model: 'echo/echo', tools: [new FunctionTool({ name: 'forge', description: 'forge', execute })],
});
`;

test('attributes of spans from code are texts, numbers, booleans and lists of them: others are left out', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), forging);
  resources.use(startSpanWatching());
  const apps = resources.use(openCodeApps({ isTraced: true }));
  const request = { appName: 'forging', folder, entry: 'agent.ts' };
  const bench = createAppBench(await apps.load({ request, text: '', language: 'typescript' }, undefined));
  const spans: EndedSpan[] = [];
  await watchSpans(
    (span) => spans.push(span),
    () => bench.run({ text: '[[tool:forge {}]]' }),
  );
  expect(spans.find(({ name }) => name === 'forged')?.attributes).toStrictEqual({ kept: 'yes', list: ['a', 'b'] });
  expect(JSON.parse(JSON.stringify(spans))).toEqual(spans);
});

/** The spans of the worker are inside the one of its host. */
function expectTree(spans: readonly EndedSpan[]): void {
  const named = (name: string) => spans.find((span) => span.name === name);
  const [root, agent, tool] = ['invocation', 'invoke_agent agent', 'execute_tool falls'].map(named);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toEqual([root]);
  expect(agent?.parentSpanId).toBe(root?.spanId);
  expect(tool).toMatchObject({ traceId: root?.traceId, hasFailed: true, attributes: { 'error.type': 'TypeError' } });
  expect(named('call_llm')?.attributes).toMatchObject({ 'gen_ai.request.model': 'echo/echo' });
}

test('a tool of an agent in this process that throws is in the log with its run, and the model gets the message alone', async () => {
  const { log, said } = openLog();
  const execute = () => {
    throw new TypeError('no luck');
  };
  const tool = new FunctionTool({ name: 'falls', description: 'falls', execute });
  guardTool(tool, { timeoutMs: 5_000, ...tellToolFailures(log) });
  const model = new ScriptLlm(calls('falls'), says('sorry'));
  const bench = createAgentBench(new LlmAgent({ name: 'agent', model, tools: [tool] }));
  const { events } = await bench.run();
  const err = { type: 'TypeError', message: 'no luck', stack: expect.stringContaining('tool-faults.test.ts') };
  expect(said('a tool has failed')).toMatchObject([{ app: 'app', tool: 'falls', sessionId: 's', err }]);
  expect(JSON.stringify(events)).not.toContain('tool-faults.test.ts');
});

test.each([Infinity, 2_592_000])(
  'a tool whose limit of its own is %s s is not late at once',
  async (timeoutSeconds) => {
    const execute = () => new Promise((resolve) => setTimeout(resolve, 20, 'done'));
    const tool = new FunctionTool({ name: 'patient', description: 'patient', execute });
    guardTool(Object.assign(tool, { timeoutSeconds }), { timeoutMs: 5_000 });
    const model = new ScriptLlm(calls('patient'), says('ok'));
    const { events } = await createAgentBench(new LlmAgent({ name: 'agent', model, tools: [tool] })).run();
    expect(JSON.stringify(events)).toContain('"response":{"result":"done"}');
  },
);

const printing = `
import { setTimeout } from 'node:timers/promises';
import { FunctionTool, LlmAgent } from '@google/adk';
const make = (name, execute) => new FunctionTool({ name, description: name, execute });
console.log('loaded');
const many = () => { for (let n = 0; n < 3_000; n += 1) console.log('line %d', n); };
const some = (word) => async () => {
  for (let n = 0; n < 20; n += 1) { console.warn(word, n); await setTimeout(1); }
  void setTimeout(1).then(() => console.log(word, 'after'));
};
const wide = () => console.error('x'.repeat(100_000));
const tells = () => console.error('no luck:', new TypeError('lost'), '\\n  at noon');
const last = () => { console.log('last words'); process.exit(3); };
const tools = [make('last', last), make('tells', tells), make('many', many), make('wide', wide), make('one', some('one')), make('other', some('other'))];
export const rootAgent = new LlmAgent({ name: 'agent', model: 'echo/echo', tools });
`;

test('lines of two runs at once in one worker reach each its own run, in order, and a thousand of a loop with the count of the rest', {
  timeout: 60_000,
}, async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), printing);
  const { log, said } = openLog();
  resources.use(startSpanWatching());
  const apps = resources.use(openCodeApps({ isTraced: true }, undefined, undefined, log));
  const request = { appName: 'talker', folder, entry: 'agent.ts' };
  const app = await apps.load({ request, text: '', language: 'typescript' }, undefined);
  const run = async (tool: string) => {
    const seen = new SeenRun();
    const bench = createAppBench(app);
    await watchSpan(seen, { name: 'invocation', attributes: {} }, () => bench.run({ text: `[[tool:${tool} {}]]` }));
    return seen;
  };
  const numbered = (word: string) => Array.from({ length: 20 }, (_, n) => `${word} ${n}`);
  const [one, other] = await Promise.all([run('one'), run('other')]);
  for (const [{ lines }, word] of [
    [one, 'one'],
    [other, 'other'],
  ] as const) {
    expect(lines.map(({ message }) => message).filter((message) => !message.endsWith('after'))).toEqual(numbered(word));
    expect(lines[0]).toEqual({ level: 'warn', source: 'app', message: `${word} 0` });
  }
  const many = await run('many');
  expect(many.lines.map(({ message }) => message)).toEqual(Array.from({ length: 1_000 }, (_, n) => `line ${n}`));
  expect(many.leftOut).toBe(2_000);
  const [wide] = (await run('wide')).lines;
  expect([wide?.level, wide?.message.length]).toEqual(['error', 4_200]);
  const [told] = (await run('tells')).lines;
  expect(told?.message).toMatch(/^no luck: TypeError: lost\n +at [^\n]*\(agent\.ts:12:\d+\)\n +at noon$/);
  expect(told?.message).not.toMatch(/node:internal|node_modules|file:|\/code-/);
  expect((await run('last')).lines.map(({ message }) => message)).toEqual([
    'last words',
    expect.stringMatching(/^The run has failed: .*it exited with code 3 while the tool "last" ran\.$/),
  ]);
  const printed = said('an app printed').map(({ line, invocationId }) => [line, typeof invocationId]);
  expect(printed).toContainEqual(['loaded', 'undefined']);
  expect(printed).toContainEqual(['one 0', 'string']);
});
