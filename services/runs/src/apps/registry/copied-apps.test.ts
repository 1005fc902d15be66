import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createLogger } from '@agentmesh/lib/telemetry';
import { watch } from 'chokidar';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openCodeApps, testModels } from '../../../test/open-code-apps.ts';
import { codeElsewhere } from '../entries/code-resolver.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';
import { quietAdk } from './quiet-adk.ts';
import { createRegistry, type Registry } from './registry.ts';
import { watchApps } from './watch-apps.ts';

/** A watch that tells of new folders and not of their files, as where the system loses events. */
const losingFiles: typeof watch = (...args) => {
  const watcher = watch(...args);
  const emit = watcher.emit.bind(watcher) as (name: string, ...values: unknown[]) => boolean;
  const isLost = (name: string, kind: unknown): boolean => name === 'all' && kind !== 'addDir';
  return Object.assign(watcher, {
    emit: (name: string, ...values: unknown[]) => !isLost(name, values[0]) && emit(name, ...values),
  });
};

const log = createLogger({ level: 'silent', name: 'test' });
quietAdk(log);

let dir: string;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'copied-'));
  resources = new AsyncDisposableStack();
  resources.defer(() => rm(dir, { recursive: true, force: true }));
});
afterEach(() => resources.disposeAsync());

async function open(logOfWorkers = log): Promise<Registry> {
  const codeApps = resources.use(openCodeApps({}, undefined, undefined, logOfWorkers));
  const tools = createToolResolvers([codeElsewhere]);
  const parts = { models: testModels(), tools, toolTimeoutMs: 5_000, maxModelCalls: 25 };
  return resources.use(await createRegistry({ dir, log, codeApps, ...parts }));
}

async function openWatched(watchFiles = watch): Promise<Registry> {
  const registry = await open();
  resources.use(await watchApps({ dir, registry, log, watchFiles }));
  return registry;
}

/** Files of an app with a tool in code, in the order of a copy. */
const withTool: readonly (readonly [string, string])[] = [
  ['root_agent.yaml', 'name: desk\nmodel: echo/echo\ntools: [{name: tools.find_order}]\n'],
  ['tools.ts', "import { stateOf } from './orders.ts';\n/** Finds. */\nexport const find_order = () => stateOf();\n"],
  ['orders.ts', "export const stateOf = () => 'packed';\n"],
];

const names = (registry: Registry): readonly string[] => registry.list().map(({ name }) => name);
const patience = { timeout: 60_000, interval: 50 };

/** Writes each file in two parts. `pause` is called before each part. */
async function copy(name: string, files: typeof withTool, pause: () => Promise<unknown>): Promise<void> {
  await mkdir(join(dir, name));
  for (const [file, text] of files) {
    await pause();
    await writeFile(join(dir, name, file), text.slice(0, text.length / 2));
    await pause();
    await appendFile(join(dir, name, file), text.slice(text.length / 2));
  }
}

test('an app that was copied after the apps were read and before the watch was set is served', async () => {
  const registry = await open();
  await copy('desk', withTool, () => turn());
  resources.use(await watchApps({ dir, registry, log }));
  await vi.waitFor(() => expect(names(registry)).toEqual(['desk']), patience);
}, 90_000);

test('an app with code whose folder was read while it was copied is served, also when the system loses events of its files', async () => {
  const registry = await openWatched(losingFiles);
  // The rest comes when the first file has been read.
  await copy('desk', withTool, () => vi.waitFor(() => expect(registry.mistakes().has('desk')).toBe(true), patience));
  expect(names(registry)).toEqual([]);
  await vi.waitFor(() => expect(names(registry)).toEqual(['desk']), patience);
  expect(registry.mistakes().size).toBe(0);
}, 150_000);

test('folders that are copied in slow steps, at any moment of their being read, are all served', async () => {
  const registry = await openWatched();
  const wanted = Array.from({ length: 24 }, (_, number) => `team${String(number).padStart(2, '0')}`);
  const files = [
    ['root_agent.yaml', 'agent_class: SequentialAgent\nname: team\nsub_agents: [{config_path: below/one.yaml}]\n'],
    ['two.yaml', 'name: two\nmodel: echo/echo\n'],
  ] as const;
  const copyTeam = async (name: string, number: number): Promise<void> => {
    const turns = async (): Promise<void> => {
      for (let left = (number * 7) % 40; left > 0; left -= 1) await turn();
    };
    await copy(name, files, turns);
    await mkdir(join(dir, name, 'below'));
    await turns();
    await writeFile(join(dir, name, 'below/one.yaml'), 'name: one\nmodel: echo/echo\n');
  };
  await Promise.all(wanted.map(copyTeam));
  await vi.waitFor(() => expect(names(registry)).toEqual(wanted), patience);
}, 90_000);

test('a file that is saved while the worker reads the code is read again with the next look', async () => {
  const [go, part] = [join(dir, 'slow/go'), join(dir, 'slow/part.ts')];
  const entry = `import { existsSync } from 'node:fs';
import { LlmAgent } from '@google/adk';
import { description } from './part.ts';
while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 20));
export const rootAgent = new LlmAgent({ name: 'agent', description, model: 'echo/echo' });`;
  await mkdir(join(dir, 'slow'));
  await writeFile(part, "export const description = 'first';\nconsole.log('part is read');\n");
  await writeFile(join(dir, 'slow/agent.ts'), entry);
  const read = Promise.withResolvers<void>();
  const destination = { write: (line: string) => line.includes('"line":"part is read"') && read.resolve() };
  const opening = open(createLogger({ level: 'info', name: 'test', destination }));
  await read.promise;
  await writeFile(part, "export const description = 'second';\n");
  await writeFile(go, '');
  const registry = await opening;
  await vi.waitFor(() => expect(names(registry)).toEqual(['slow']), patience);
  await registry.reload('slow');
  expect(registry.get('slow').description).toBe('second');
}, 150_000);
