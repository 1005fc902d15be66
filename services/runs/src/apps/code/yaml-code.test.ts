import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openCodeApps, testModels } from '../../../test/open-code-apps.ts';
import { type AgentBench, createAppBench, log } from '../../../test/run-agents.ts';
import { printMistake } from '../definition/mistake.ts';
import { createRegistry, type Registry } from '../registry/registry.ts';
import { createBuiltInResolver } from '../entries/built-in-resolver.ts';
import { codeElsewhere } from '../entries/code-resolver.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';

const dir = await mkdtemp(join(tmpdir(), 'yaml-code-'));
const codeApps = openCodeApps();
let registry: Registry;
let bench: AgentBench;

const files: Readonly<Record<string, string>> = {
  'plain/root_agent.yaml': 'name: plain\nmodel: echo/echo\n',
  'stuck/agent.ts': 'await new Promise(() => setInterval(() => {}, 1000));\n',
  'mixed/root_agent.yaml': `
name: mixed
model: echo/echo
tools:
  - get_current_time
  - name: tools.get_weather
  - name: mixed.tools.twice
    require_confirmation: false
before_agent_callbacks:
  - name: callbacks.count
before_model_callbacks: [{name: callbacks.check}]
`,
  'mixed/tools.ts': `
import { FunctionTool, type Context } from '@google/adk';
import { z } from 'zod';

/**
 * Tells the weather.
 * @param args arguments
 */
export async function get_weather({ city }: { city: string }, context: Context) {
  return { report: 'sunny in ' + city, visits: context.state.get('visits') };
}
export const get_weatherSchema = z.object({ city: z.string() });

export const twice = new FunctionTool({
  name: 'twice',
  description: 'Doubles.',
  parameters: z.object({ n: z.number() }),
  execute: ({ n }) => n * 2,
});
`,
  'mixed/callbacks.js': `
export function count(context) {
  context.state.set('visits', (context.state.get('visits') ?? 0) + 1);
}
export const check = ({ request }) =>
  JSON.stringify(request.contents.at(-1)).includes('forbidden')
    ? { content: { role: 'model', parts: [{ text: 'Not that.' }] } }
    : undefined;
`,
  'crooked/root_agent.yaml': `
name: crooked
model: echo/echo
tools:
  - name: tools.absent
  - name: tools.number
  - name: nowhere.tool
after_tool_callbacks: [{name: tools.number}]
`,
  'crooked/tools.ts': 'export const number = 1;\n',
  'beside/root_agent.yaml':
    'name: beside\nmodel: echo/echo\ntools: [{name: tools.x}]\nbefore_model_callbacks: [{name: nodot}]\n',
};

async function put(file: string, text: string): Promise<void> {
  const path = join(dir, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

beforeAll(async () => {
  for (const [file, text] of Object.entries(files)) await put(file, text);
  const tools = createToolResolvers([
    createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) }),
    codeElsewhere,
  ]);
  const limits = { toolTimeoutMs: 1_000, maxModelCalls: 5 };
  registry = await createRegistry({ dir, log, models: testModels(), tools, codeApps, ...limits });
  const ready = () => expect([registry.get('mixed'), registry.mistakes().get('crooked')]).not.toContain(undefined);
  await vi.waitFor(ready, { timeout: 200_000, interval: 100 });
  bench = createAppBench(registry.get('mixed'));
}, 240_000);

afterAll(async () => {
  codeApps[Symbol.dispose]();
  await rm(dir, { recursive: true, force: true });
});

async function call(name: string, args: object): Promise<unknown> {
  const { events, failure } = await bench.run({ text: `[[tool:${name} ${JSON.stringify(args)}]]` });
  expect(failure).toBeUndefined();
  const parts = events.flatMap(({ content }) => (content as { parts?: object[] } | undefined)?.parts ?? []);
  const found = parts.find((part) => 'functionResponse' in part) as
    | { functionResponse?: { response: object } }
    | undefined;
  return found?.functionResponse?.response;
}

describe('an app in YAML that names code', () => {
  test('has functions and tools of its modules, built-in tools, and callbacks', async () => {
    expect(await call('get_weather', { city: 'Rome' })).toEqual({ report: 'sunny in Rome', visits: 1 });
    expect(await call('twice', { n: 4 })).toEqual({ result: 8 });
    expect(await call('get_current_time', {})).toHaveProperty('time');
    expect(JSON.stringify(await bench.run({ text: 'forbidden' }))).toContain('Not that.');
  });

  test('describes functions by the comment before them and their schema', () => {
    const info = JSON.parse(new TextDecoder().decode(registry.get('mixed').infoJson)) as object;
    const declaration = { name: 'get_weather', description: 'Tells the weather.' };
    expect(JSON.stringify(info)).toContain(JSON.stringify(declaration).slice(1, -1));
    expect(info).toMatchObject({ language: 'yaml' });
  });

  test('names the place of each mistake', () => {
    expect(registry.mistakes().get('crooked')?.map(printMistake)).toEqual([
      'root_agent.yaml:5:5: tools.0.name: "tools.absent": the module exports no absent; it exports number',
      'root_agent.yaml:6:5: tools.1.name: "tools.number" is neither a tool of ADK nor an agent nor a function',
      'root_agent.yaml:7:5: tools.2.name: "nowhere.tool": there is no nowhere.ts or .js in the app\'s folder',
      'root_agent.yaml:8:25: after_tool_callbacks.0.name: "tools.number" is not a function',
    ]);
    expect(registry.mistakes().get('beside')?.map(printMistake)[0]).toContain(
      'before_model_callbacks.0.name: must be the module',
    );
  });

  test('does not wait for an app that never loads', async () => {
    expect(registry.list().map(({ name }) => name)).toEqual(['mixed', 'plain']);
    expect(registry.mistakes().get('stuck')?.map(printMistake) ?? ['loading']).toHaveLength(1);
    const stuck = registry.reload('stuck');
    await put('plain/root_agent.yaml', 'name: plain\nmodel: echo/echo\ndescription: new\n');
    await registry.reload('plain');
    expect(registry.get('plain').description).toBe('new');
    codeApps[Symbol.dispose]();
    await stuck;
  });
});
