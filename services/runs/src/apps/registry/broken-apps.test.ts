import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createModels } from '../../models/index.ts';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { quietAdk } from './quiet-adk.ts';
import { createRegistry, type Registry } from './registry.ts';
import { createBuiltInResolver } from '../entries/built-in-resolver.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';
import { openCodeApps } from '../../../test/open-code-apps.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const nowhere = { baseUrl: 'http://localhost' };
const models = createModels({ openai: nowhere, anthropic: nowhere, gemini: nowhere, timeoutMs: 1_000 });
const tools = createToolResolvers([createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) })]);

quietAdk(log);

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'agents-'));
});

afterEach(() => rm(dir, { recursive: true }));

async function put(path: string, ...lines: string[]): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), `${lines.join('\n')}\n`);
}

const open = (): Promise<Registry> =>
  createRegistry({ dir, log, models, tools, codeApps: openCodeApps(), toolTimeoutMs: 5_000, maxModelCalls: 25 });

/** The error text for an app whose root file holds `lines`. */
async function problemOf(...lines: string[]): Promise<string> {
  await put('bad/root_agent.yaml', ...lines);
  const registry = await open();
  try {
    registry.get('bad');
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'none';
}

const echo = ['name: echo', 'model: echo/default'];

test('a folder that is named like an agent of an account is refused with what to do', async () => {
  await put('agent12/root_agent.yaml', ...echo);
  await put('agent12b/root_agent.yaml', ...echo);
  const registry = await open();
  expect(registry.list().map(({ name }) => name)).toEqual(['agent12b']);
  expect(registry.mistakes().get('agent12')).toMatchObject([{ reason: expect.stringContaining('rename this folder') }]);
});

test.each(['never', '0', '1.5', '40000', '[]'])(
  'a retention of %s is refused with what is allowed',
  async (retention) => {
    const reason = 'retention: must be a whole number of days from 1 to 36500, or forever';
    expect(await problemOf(...echo, `retention: ${retention}`)).toContain(reason);
    await put('good/root_agent.yaml', ...echo, 'retention: forever');
    expect((await open()).get('good').settings.retention).toBe('forever');
  },
);

describe('a bad file is refused with file, place, key and reason', () => {
  test.each([
    ['broken syntax', ['name: echo', 'model: [a'], 'root_agent.yaml:'],
    ['a tab', ['name: a', 'tools:', '\t- exit_loop'], 'root_agent.yaml:3:1: is indented with a tab'],
    ['a list that is not closed', ['name: a', 'tools: [a', 'model: b'], 'bracket before it is not closed'],
    ['a text with a colon', ['name: a', 'instruction: Say: hi'], 'a text with a colon needs quotes'],
    [
      'an unknown key',
      [...echo, 'modle: x'],
      ':3:1: modle: is not a key here. Did you mean "model"? Keys: after_agent_callbacks, ',
    ],
    ['a key that is not supported', [...echo, 'planner: {}'], 'here; use thinking_config in generate_content_config'],
    [
      'a tool of another model',
      [...echo, 'tools: [google_search]'],
      '"google_search" is a tool of Gemini, and the model',
    ],
    [
      'a schema that is the name of nothing',
      [...echo, 'output_schema: {name: x}'],
      'output_schema.name: must be the module and the name of an export',
    ],
    ['a missing name', ['model: echo/default'], 'root_agent.yaml:1:1: name: is required'],
    ['a missing model', ['name: a'], 'root_agent.yaml:1:1: model: is required'],
    ['a wrong type', ['name: a', 'model: 7'], 'root_agent.yaml:2:1: model: must be either string or array'],
    ['a key that is there twice', [...echo, 'name: b'], 'root_agent.yaml:3:1: the key "name" is there twice'],
    ['an unknown model', ['name: a', 'model: acme/x'], 'root_agent.yaml:2:1: model: The model "acme/x"'],
    [
      'an unknown tool',
      [...echo, 'tools:', '  - load_memry'],
      ':4:5: tools.0.name: "load_memry" is not allowed. Did you mean "load_memory"? Allowed: get_current_time, http_get, ',
    ],
    ['an unknown key of a tool', [...echo, 'tools: [{name: exit_loop, arg: 1}]'], 'tools.0.arg: is not a key here'],
    [
      'an unknown class',
      ['agent_class: LopAgent', 'name: a', 'sub_agents: []'],
      ':1:1: agent_class: must be one of LlmAgent, SequentialAgent, ParallelAgent, LoopAgent, RemoteA2aAgent. Did you mean "LoopAgent"?',
    ],
    ['a name that cannot be', ['name: user', 'model: echo/x'], 'name: must begin with a letter'],
    [
      'a choice that is none',
      [...echo, 'include_contents: non'],
      '"non" is not allowed. Did you mean "none"? Allowed: default, none',
    ],
    ['a workflow of nobody', ['name: a', 'agent_class: LoopAgent', 'sub_agents: []'], 'sub_agents: must'],
    ['a model of a workflow', ['agent_class: LoopAgent', ...echo], 'model: is not a key here'],
    [
      'a setting with a key of its own',
      [...echo, 'generate_content_config: {system_instruction: x}'],
      'generate_content_config.system_instruction: must not be set here; use the key instruction of the agent',
    ],
    [
      'an unknown setting',
      [...echo, 'generate_content_config:', '  temprature: 1'],
      ':4:3: generate_content_config.temprature: is not a key here. Did you mean "temperature"?',
    ],
    [
      'an unknown setting inside a setting',
      [...echo, 'generate_content_config:', '  thinkingConfig: {thinking_buget: 1}'],
      ':4:20: generate_content_config.thinking_config.thinking_buget: is not a key here. Did you mean "thinking_budget"?',
    ],
    [
      'a setting that is there in both spellings',
      [...echo, 'generate_content_config: {topP: 1, top_p: 1}'],
      'generate_content_config.topP: is not a key here. Did you mean "top_p"?',
    ],
    [
      'a setting of a wrong type',
      [...echo, 'generate_content_config:', '  temperature: hot'],
      'root_agent.yaml:4:3: generate_content_config.temperature: must be number',
    ],
    [
      'a setting left blank',
      [...echo, 'generate_content_config:', '  thinking_config:'],
      'root_agent.yaml:4:3: generate_content_config.thinking_config: must be object',
    ],
    ['an alias of nothing', [...echo, 'description: *none'], ':3:14: there is no anchor "&none" before this alias'],
    ['an alias inside itself', ['name: &a [*a]'], ':1:11: the alias "*a" holds itself'],
    ['a list', ['- a'], 'must hold a map of keys'],
    ['nothing', [''], 'must hold a map of keys'],
  ])('%s', async (_, lines, expected) => {
    const problem = await problemOf(...lines);
    expect(problem).toMatch(/^No root_agent found for 'bad'\. bad\/root_agent\.yaml:\d+:\d+: /);
    expect(problem).toContain(expected);
  });

  test('all mistakes of all files are reported at once, from top to end', async () => {
    await put('bad/one.yaml', 'nmae: one', 'tools: [http_gett]');
    await put('bad/two.yaml', 'name: two', 'tools: [');
    const problem = await problemOf(
      'name: boss',
      'model: acme/x',
      'instructon: hi',
      'generate_content_config: {top_q: 1}',
      'sub_agents:',
      '  - config_path: one.yaml',
      '  - config_path: two.yml',
      '  - config_path: two.yaml',
    );
    const places = problem.split('\n').map((line) => /bad\/([\w.:]+): ([\w.]+)/.exec(line)?.slice(1).join(' '));
    expect(places).toEqual([
      'root_agent.yaml:2:1 model',
      'root_agent.yaml:3:1 instructon',
      'root_agent.yaml:4:27 generate_content_config.top_q',
      'root_agent.yaml:7:5 sub_agents.1.config_path',
      'one.yaml:1:1 name',
      'one.yaml:1:1 nmae',
      'one.yaml:2:9 tools.0.name',
      expect.stringMatching(/^two\.yaml:\d+:\d+ /),
    ]);
    expect(problem).toContain('"two.yml" is not a file of the app. Did you mean "two.yaml"?');
  });

  test('a billion laughs', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg'].map((pair) => pair.split(''))) {
      lines.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`);
    }
    expect(await problemOf(...lines)).toContain('is one alias more than the 20');
  });

  test('a very deep file', async () => {
    expect(await problemOf(`a: ${'['.repeat(100_000)}`)).toContain('is nested too deeply');
  });

  test('a huge file', async () => {
    expect(await problemOf(`# ${'x'.repeat(300_000)}`)).toContain('is larger than');
  });
});

describe('a folder without root_agent.yaml is reported with advice', () => {
  test.each([
    ['agent.py', 'bad/agent.py: Python is not run here: describe the agent in root_agent.yaml'],
    ['root_agent.yml', 'bad/root_agent.yml: rename this file to root_agent.yaml'],
    ['readme.md', 'bad/: the folder has no root_agent.yaml and no agent.ts: add one'],
  ])('one with %s', async (file, expected) => {
    await put(`bad/${file}`, 'x');
    const registry = await open();
    expect(registry.list()).toEqual([]);
    expect(registry.mistakes().get('bad')).toHaveLength(1);
    expect(() => registry.get('bad')).toThrow(expected);
  });

  test('an empty one', async () => {
    await mkdir(join(dir, 'bad'));
    const registry = await open();
    expect(() => registry.get('bad')).toThrow(
      'bad/: the folder is empty: put a root_agent.yaml or an agent.ts into it',
    );
  });

  test('one that was an app is removed', async () => {
    await put('echo/root_agent.yaml', ...echo);
    const registry = await open();
    await rename(join(dir, 'echo/root_agent.yaml'), join(dir, 'echo/root_agent.yml'));
    await registry.reload('echo');
    expect(registry.list()).toEqual([]);
    expect(() => registry.get('echo')).toThrow('rename this file');
    await rm(join(dir, 'echo'), { recursive: true });
    await registry.reload('echo');
    expect(registry.mistakes().size).toBe(0);
  });
});

describe('sub-agents', () => {
  const team = (path: string): string[] => ['name: boss', 'model: echo/x', 'sub_agents:', `  - config_path: ${path}`];

  test('are read from files in the folder and inherit the model', async () => {
    await put('team/root_agent.yaml', ...team('workers/one.yaml'));
    await put('team/workers/one.yaml', 'name: one', 'sub_agents: [{config_path: two.yaml}]');
    await put(
      'team/workers/two.yaml',
      'agent_class: LoopAgent',
      'name: two',
      'sub_agents: [{config_path: ../three.yaml}]',
    );
    await put('team/three.yaml', 'name: three', 'output_key: out');
    const { root } = (await open()).get('team');
    expect(root?.findAgent('three')?.parentAgent?.parentAgent?.name).toBe('one');
  });

  test.each([
    ['../other/root_agent.yaml', 'lies outside the folder of the app'],
    ['/etc/hostname', 'lies outside the folder of the app'],
    ['link.yaml', 'lies outside the folder of the app'],
    ['absent.yaml', '"absent.yaml" is not a file of the app'],
    ['root_agent.yaml', 'leads back to an agent above it'],
    ['circle.yaml', 'leads back to an agent above it'],
    ['twin.yaml', '"boss" is the name of another agent of the app'],
  ])('%s is refused', async (path, reason) => {
    await put('other/root_agent.yaml', ...echo);
    await put('bad/circle.yaml', 'name: circle', 'sub_agents: [{config_path: root_agent.yaml}]');
    await put('bad/twin.yaml', 'name: boss');
    await symlink(join(dir, 'other/root_agent.yaml'), join(dir, 'bad/link.yaml'));
    const problem = await problemOf(...team(path));
    expect(problem).toContain(reason);
    expect(problem).not.toContain(dir);
  });
});
