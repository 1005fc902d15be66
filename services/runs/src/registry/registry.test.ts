import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createModels } from '../models/index.ts';
import { createGuardedFetch } from '../outbound/index.ts';
import { quietAdk } from '../quiet-adk.ts';
import { createRegistry, type Registry } from './registry.ts';
import { watchApps } from './watch-apps.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const nowhere = { baseUrl: 'http://localhost' };
const models = createModels({ openai: nowhere, anthropic: nowhere, gemini: nowhere, timeoutMs: 1_000 });
const toolDeps = { fetch: createGuardedFetch({ allow: [] }) };

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

const open = (): Promise<Registry> => createRegistry({ dir, log, models, toolDeps, maxModelCalls: 25 });

/** What is wrong with an app whose root file holds `lines`. */
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

describe('the registry', () => {
  test('lists apps by name and ignores what is no app', async () => {
    await put('zebra/root_agent.yaml', ...echo);
    await put('apple/root_agent.yaml', ...echo);
    await put('.hidden/root_agent.yaml', ...echo);
    await put('__internal/root_agent.yaml', ...echo);
    await put('empty/other.yaml', ...echo);
    await put('root_agent.yaml', ...echo);
    expect((await open()).list().map(({ name }) => name)).toEqual(['apple', 'zebra']);
  });

  test('a bad file hides nothing but its own app', async () => {
    await put('bad/root_agent.yaml', 'name: [');
    await put('good/root_agent.yaml', ...echo);
    expect((await open()).list().map(({ name }) => name)).toEqual(['good']);
  });

  test('a folder that is not there holds no apps', async () => {
    await rename(dir, `${dir}-moved`);
    const registry = await open();
    expect(registry.list()).toEqual([]);
    await expect(registry.check()).rejects.toThrow('ENOENT');
    await rename(`${dir}-moved`, dir);
  });

  test('an unknown app answers the text of the reference', async () => {
    const registry = await open();
    expect(() => registry.get('nope')).toThrow("No root_agent found for 'nope'.");
    expect(() => registry.get('__nope')).toThrow('Access to internal special agents is disabled in API server mode.');
  });

  test('an app whose files have not changed keeps its agents', async () => {
    await put('echo/root_agent.yaml', ...echo);
    const registry = await open();
    const before = registry.get('echo');
    await registry.reloadAll();
    expect(registry.get('echo')).toBe(before);
  });

  test('a half-written file keeps the last good version until it parses', async () => {
    await put('echo/root_agent.yaml', ...echo);
    const registry = await open();
    for (const half of [[''], ['name: echo', 'model: "echo/'], ['name: echo', 'mod']]) {
      await put('echo/root_agent.yaml', ...half);
      await registry.reload('echo');
      expect(registry.get('echo').root.description).toBe('');
    }
    await put('echo/root_agent.yaml', ...echo, 'description: new');
    await registry.reload('echo');
    expect(registry.get('echo').root.description).toBe('new');
  });

  test('changes are picked up without a restart', async () => {
    await put('echo/root_agent.yaml', ...echo);
    const registry = await open();
    await using _watch = await watchApps({ dir, registry, log });
    await put('late/root_agent.yaml', ...echo);
    await vi.waitFor(() => expect(registry.list()).toHaveLength(2), { timeout: 5_000 });
    await put('late/root_agent.yaml', ...echo, 'description: changed');
    await vi.waitFor(() => expect(registry.get('late').root.description).toBe('changed'), { timeout: 5_000 });
    await rm(join(dir, 'late'), { recursive: true });
    await vi.waitFor(() => expect(registry.list()).toHaveLength(1), { timeout: 5_000 });
  });
});

describe('the watch', () => {
  test('a folder that comes later is read', async () => {
    await rm(dir, { recursive: true });
    const registry = await open();
    await using _watch = await watchApps({ dir, registry, log });
    await put('late/root_agent.yaml', ...echo);
    await vi.waitFor(() => expect(registry.list()).toHaveLength(1), { timeout: 5_000 });
  });

  test('a mounted volume that swaps all its files at once is read again', async () => {
    await put('..1/echo/root_agent.yaml', ...echo);
    await put('..2/echo/root_agent.yaml', ...echo, 'description: second');
    await symlink('..1', join(dir, '..data'));
    await symlink(join('..data', 'echo'), join(dir, 'echo'));
    const registry = await open();
    await using _watch = await watchApps({ dir, registry, log });
    await symlink('..2', join(dir, '..tmp'));
    await rename(join(dir, '..tmp'), join(dir, '..data'));
    await vi.waitFor(() => expect(registry.get('echo').root.description).toBe('second'), { timeout: 5_000 });
  });
});

describe('a bad file is refused with file, place, key and reason', () => {
  test.each([
    ['broken syntax', ['name: echo', 'model: [a'], 'root_agent.yaml:'],
    ['an unknown key', [...echo, 'modle: x'], 'root_agent.yaml:3:1: modle: is not a key of this agent'],
    ['a missing name', ['model: echo/default'], 'root_agent.yaml:1:1: name: is required'],
    ['a missing model', ['name: a'], 'root_agent.yaml:1:1: model: is required'],
    ['a wrong type', ['name: a', 'model: 7'], 'root_agent.yaml:2:1: model: must be string'],
    ['a key that is there twice', [...echo, 'name: b'], 'root_agent.yaml:3:1: Map keys must be unique'],
    ['an unknown model', ['name: a', 'model: acme/x'], 'root_agent.yaml:2:1: model: The model "acme/x"'],
    ['an unknown tool', [...echo, 'tools:', '  - nope'], 'root_agent.yaml:4:5: tools.0: "nope" is not a tool'],
    ['an unknown class', ['agent_class: Robot', ...echo], 'root_agent.yaml:1:1: agent_class: must be one of LlmAgent,'],
    ['a name that cannot be', ['name: user', 'model: echo/x'], 'name: must begin with a letter'],
    ['a choice that is none', [...echo, 'include_contents: some'], 'include_contents: must be one of default, none'],
    ['a workflow of nobody', ['name: a', 'agent_class: LoopAgent', 'sub_agents: []'], 'sub_agents: must'],
    ['a model of a workflow', ['agent_class: LoopAgent', ...echo], 'model: is not a key of this agent'],
    [
      'a setting with a key of its own',
      [...echo, 'generate_content_config: {system_instruction: x}'],
      'systemInstruction',
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
    ['a list', ['- a'], 'must hold a map of keys'],
    ['nothing', [''], 'must hold a map of keys'],
  ])('%s', async (_, lines, expected) => {
    const problem = await problemOf(...lines);
    expect(problem).toMatch(/^No root_agent found for 'bad'\. root_agent\.yaml/);
    expect(problem).toContain(expected);
  });

  test('a billion laughs', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg'].map((pair) => pair.split(''))) {
      lines.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`);
    }
    expect(await problemOf(...lines)).toContain('cannot be read as YAML');
  });

  test('a very deep file', async () => {
    expect(await problemOf(`a: ${'['.repeat(100_000)}`)).toContain('root_agent.yaml');
  });

  test('a huge file', async () => {
    expect(await problemOf(`# ${'x'.repeat(300_000)}`)).toContain('is larger than');
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
    expect(root.findAgent('three')?.parentAgent?.parentAgent?.name).toBe('one');
  });

  test.each([
    ['../other/root_agent.yaml', 'lies outside the folder of the app'],
    ['/etc/hostname', 'lies outside the folder of the app'],
    ['link.yaml', 'lies outside the folder of the app'],
    ['absent.yaml', 'names a file that is not there'],
    ['root_agent.yaml', 'leads back to an agent above it'],
    ['circle.yaml', 'leads back to an agent above it'],
    ['twin.yaml', '"boss" names another agent of the app'],
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

describe('AppInfo', () => {
  test('is the record of the contract', async () => {
    await put(
      'team/root_agent.yaml',
      ...echo,
      'description: d',
      'instruction: do',
      'sub_agents: [{config_path: s.yaml}]',
    );
    await put(
      'team/s.yaml',
      'name: s',
      'model: openai/m',
      'tools: [get_current_time, {name: exit_loop}, transfer_to_agent]',
    );
    const { infoJson } = (await open()).get('team');
    const info: unknown = JSON.parse(new TextDecoder().decode(infoJson));
    expect(info).toMatchObject({
      name: 'team',
      rootAgentName: 'echo',
      description: 'd',
      language: 'yaml',
      isComputerUse: false,
      agents: {
        echo: { name: 'echo', description: 'd', instruction: 'do', sub_agents: ['s'] },
        s: {
          tools: [
            { functionDeclarations: [{ name: 'get_current_time' }] },
            { functionDeclarations: [{ name: 'exit_loop' }] },
          ],
        },
      },
    });
  });

  test('a workflow has none', async () => {
    await put(
      'flow/root_agent.yaml',
      'agent_class: SequentialAgent',
      'name: flow',
      'sub_agents: [{config_path: s.yaml}]',
    );
    await put('flow/s.yaml', 'name: s', 'model: echo/x');
    expect((await open()).get('flow').infoJson).toBeUndefined();
  });
});
