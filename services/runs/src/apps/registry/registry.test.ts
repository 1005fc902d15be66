import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createModels } from '../../models/index.ts';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { quietAdk } from './quiet-adk.ts';
import { createRegistry, type Registry } from './registry.ts';
import { watchApps } from './watch-apps.ts';
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

const open = (folder = dir): Promise<Registry> =>
  createRegistry({
    dir: folder,
    log,
    models,
    tools,
    codeApps: openCodeApps(),
    toolTimeoutMs: 5_000,
    maxModelCalls: 25,
  });

const echo = ['name: echo', 'model: echo/default'];

describe('the registry', () => {
  test('lists apps by name and ignores other folders and files', async () => {
    await put('zebra/root_agent.yaml', ...echo);
    await put('apple/root_agent.yaml', ...echo);
    await put('.hidden/root_agent.yaml', ...echo);
    await put('__internal/root_agent.yaml', ...echo);
    await put('node_modules/some/root_agent.yaml', ...echo);
    await put('root_agent.yaml', ...echo);
    expect((await open()).list().map(({ name }) => name)).toEqual(['apple', 'zebra']);
  });

  test('an invalid file hides only its own app', async () => {
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

  test('the error for an unknown app names the closest one, with its mistakes if it cannot be loaded', async () => {
    await put('weather/root_agent.yaml', ...echo);
    await put('shopping/root_agent.yaml', 'name: shop');
    const registry = await open();
    expect(() => registry.get('wether')).toThrow("No root_agent found for 'wether'. Did you mean 'weather'?");
    expect(() => registry.get('shoping')).toThrow(
      "Did you mean 'shopping'? It cannot be loaded: shopping/root_agent.yaml:1:1: model: is required",
    );
    expect(() => registry.get('other')).toThrow("Searched in 'other/root_agent.yaml'.");
  });

  test.each(['x/../../outside', 'good/../good', 'good/', './good', '..', '../outside', 'good/inner', 'x\\..\\good'])(
    'reads no folder for %s, which is not the name of one in AGENTS_DIR',
    async (name) => {
      await put('outside/root_agent.yaml', ...echo);
      await put('apps/good/root_agent.yaml', ...echo);
      await put('apps/good/inner/root_agent.yaml', ...echo);
      const registry = await open(join(dir, 'apps'));
      expect(await registry.refresh(name)).toBe(false);
      await registry.reload(name);
      await expect(registry.latest(name)).rejects.toMatchObject({ reason: 'app_not_found' });
      expect([registry.list().map((app) => app.name), [...registry.mistakes().keys()]]).toEqual([['good'], []]);
    },
  );

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
      expect(registry.get('echo').root?.description).toBe('');
      expect(registry.mistakes().get('echo')).not.toHaveLength(0);
    }
    await put('echo/root_agent.yaml', ...echo, 'description: new');
    await registry.reload('echo');
    expect(registry.get('echo').root?.description).toBe('new');
    expect(registry.mistakes().size).toBe(0);
  });

  test('changes are picked up without a restart', async () => {
    await put('echo/root_agent.yaml', ...echo);
    const registry = await open();
    await using _watch = await watchApps({ dir, registry, log });
    await put('late/root_agent.yaml', ...echo);
    await vi.waitFor(() => expect(registry.list()).toHaveLength(2));
    await put('late/root_agent.yaml', ...echo, 'description: changed');
    await vi.waitFor(() => expect(registry.get('late').root?.description).toBe('changed'));
    await rm(join(dir, 'late'), { recursive: true });
    await vi.waitFor(() => expect(registry.list()).toHaveLength(1));
  });
});

describe('the watch', () => {
  test('a folder that comes later is read', async () => {
    await rm(dir, { recursive: true });
    const registry = await open();
    await using _watch = await watchApps({ dir, registry, log });
    await put('late/root_agent.yaml', ...echo);
    await vi.waitFor(() => expect(registry.list()).toHaveLength(1));
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
    await vi.waitFor(() => expect(registry.get('echo').root?.description).toBe('second'));
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
