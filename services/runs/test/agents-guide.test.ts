import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createModels } from '../src/models/index.ts';
import { createAddressPolicy, createGuardedFetch } from '@agentmesh/lib/outbound';
import { agentSchemas, unsupportedKeys } from '../src/apps/definition/agent-definition.ts';
import { printMistake } from '../src/apps/definition/mistake.ts';
import { ModelConfig, refusedSettings } from '../src/apps/definition/model-config.ts';
import { createRemoteAgents } from '../src/apps/building/agents/remote-agents.ts';
import { createRegistry } from '../src/apps/registry/registry.ts';
import { toolNames } from '../src/apps/tools/built-in-tools.ts';
import { quietAdk } from '../src/apps/registry/quiet-adk.ts';
import { log } from './run-agents.ts';
import { createMcpConnections } from '../src/apps/mcp/connection/mcp-connections.ts';
import { createMcpResolver } from '../src/apps/entries/mcp-resolver.ts';
import { agentToolResolver } from '../src/apps/entries/agent-tool-args.ts';
import { createBuiltInResolver } from '../src/apps/entries/built-in-resolver.ts';
import { createToolResolvers } from '../src/apps/entries/tool-resolvers.ts';
import { openCodeApps } from './open-code-apps.ts';

quietAdk(log);

const readPage = (file: string) => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
const guide = readPage('agents.md');

/** The text below a heading, up to the next heading of any level. */
function section(heading: string): string {
  const start = guide.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`docs/agents.md has no heading "${heading}"`);
  return guide.slice(start + heading.length + 2).split(/\n#+ /)[0] ?? '';
}

/** The names in backquotes of the first column of a section's tables. */
function namesIn(heading: string): string[] {
  const rows = section(heading).matchAll(/^\| (`.*?) \|/gm);
  return Array.from(rows, ([, cell = '']) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name)).flat();
}

const keysOf = (agentClass: keyof typeof agentSchemas): string[] => Object.keys(agentSchemas[agentClass].properties);
const sorted = (names: Iterable<string>): string[] => [...names].toSorted();

describe('docs/agents.md', () => {
  test('names every key that a file may have, and no other', () => {
    const common = keysOf('SequentialAgent');
    expect(keysOf('ParallelAgent')).toEqual(common);
    expect(sorted(namesIn('### All agents'))).toEqual(sorted([...common, 'config_path', 'code']));
    const own = (agentClass: 'LlmAgent' | 'LoopAgent') => keysOf(agentClass).filter((key) => !common.includes(key));
    expect(sorted(namesIn('### LlmAgent'))).toEqual(sorted(own('LlmAgent')));
    expect(sorted(namesIn('### LoopAgent'))).toEqual(sorted(own('LoopAgent')));
  });

  test('names every setting of a model, and those that are refused', () => {
    expect(sorted(namesIn('### Settings of the model'))).toEqual(sorted(Object.keys(ModelConfig.properties)));
    for (const key of refusedSettings.keys()) expect(section('### Settings of the model')).toContain(`\`${key}\``);
  });

  test('names every tool, and no other', () => {
    expect(sorted(namesIn('## Built-in tools'))).toEqual(sorted(toolNames));
  });

  test('names every key of ADK that is refused', () => {
    expect(sorted(namesIn('## Keys of ADK that are not supported'))).toEqual(sorted(unsupportedKeys.keys()));
  });

  test.each(['agents.md', 'approvals.md', 'mcp-and-a2a.md'])('has samples that load: %s', async (file) => {
    const page = readPage(file);
    const blocks = page.matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)^```$/gm);
    const samples = Array.from(blocks, ([, path = '', text = '']) => ({ path, text }));
    expect(samples.length).toBe(page.match(/^```yaml$/gm)?.length);
    const { apps, mistakes } = await load(samples);
    expect(mistakes).toEqual([]);
    expect(apps).toEqual(sorted(new Set(samples.map(({ path }) => path.split('/')[0] ?? ''))));
  });

  test('has examples of keys that load', async () => {
    const settings = examplesIn('### Settings of the model').map((example) => `generate_content_config: {${example}}`);
    const loop = 'agent_class: LoopAgent\nsub_agents: [{config_path: one.yaml}]';
    const files = [
      ...[...examplesIn('### LlmAgent'), ...settings].map((example) => `name: a\nmodel: echo/x\n${example}\n`),
      ...examplesIn('### LoopAgent').map((example) => `name: a\n${loop}\n${example}\n`),
    ].map((text) => text.replace(/^model: echo\/x\n(?=model:)/m, ''));
    expect(files.length).toBeGreaterThan(20);
    const samples = files.flatMap((text, index) => [
      { path: `app${index}/root_agent.yaml`, text },
      { path: `app${index}/one.yaml`, text: 'name: one\nmodel: echo/x\n' },
    ]);
    expect((await load(samples)).mistakes).toEqual([]);
  });
});

/** The last column of a section's tables where it is one example. */
function examplesIn(heading: string): string[] {
  return Array.from(section(heading).matchAll(/^\| `.*\| `([a-z_]+: [^`]*)` \|$/gm), ([, example = '']) => example);
}

/** Loads files as the service does. */
async function load(
  samples: readonly { path: string; text: string }[],
): Promise<{ apps: string[]; mistakes: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'agents-'));
  for (const { path, text } of samples) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const nowhere = { baseUrl: 'http://localhost' };
  const models = createModels({ openai: nowhere, anthropic: nowhere, gemini: nowhere, timeoutMs: 1_000 });
  const tools = createToolResolvers([
    createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) }),
    agentToolResolver,
    mcpResolver(),
  ]);
  const registry = await createRegistry({
    dir,
    log,
    models,
    tools,
    remoteAgents,
    codeApps: openCodeApps(),
    toolTimeoutMs: 5_000,
    maxModelCalls: 25,
  });
  await rm(dir, { recursive: true });
  return {
    apps: registry.list().map(({ name }) => name),
    mistakes: [...registry.mistakes().values()].flat().map(printMistake),
  };
}

function mcpResolver() {
  const deps = { connections: createMcpConnections({ fetch }), openKey: () => Promise.resolve(''), log };
  return createMcpResolver({ deps, rules: { policy: createAddressPolicy([]), isTrusted: true } });
}

const remoteAgents = createRemoteAgents(
  { openRemote: () => Promise.reject(new Error('no network')), openKey: () => Promise.resolve(''), log },
  { policy: createAddressPolicy([]), isTrusted: true },
);
