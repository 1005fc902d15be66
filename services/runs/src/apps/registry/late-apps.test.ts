import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openCodeApps, testModels } from '../../../test/open-code-apps.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';
import { quietAdk } from './quiet-adk.ts';
import { createRegistry, type Registry } from './registry.ts';

const log = createLogger({ level: 'silent', name: 'test' });
quietAdk(log);

let dir: string;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'late-'));
  await mkdir(join(dir, 'slow'));
  resources = new AsyncDisposableStack();
  resources.defer(() => rm(dir, { recursive: true, force: true }));
});
afterEach(() => resources.disposeAsync());

/** Code that is not loaded before the file `open` is there. */
const slow = (description: string) => `import { existsSync } from 'node:fs';
import { LlmAgent } from '@google/adk';
if (!existsSync(${JSON.stringify(join(dir, 'slow/open'))})) await new Promise(() => setInterval(() => {}, 1_000));
export const rootAgent = new LlmAgent({ name: 'agent', description: '${description}', model: 'echo/echo' });`;

const put = (text: string) => writeFile(join(dir, 'slow/agent.ts'), text);
const open = () => writeFile(join(dir, 'slow/open'), '');
const shut = () => rm(join(dir, 'slow/open'));

async function start(): Promise<Registry> {
  const codeApps = resources.use(openCodeApps({ loadMs: 8_000 }));
  const parts = { models: testModels(), tools: createToolResolvers([]), toolTimeoutMs: 5_000, maxModelCalls: 25 };
  return resources.use(await createRegistry({ dir, log, codeApps, ...parts }));
}

const patience = { timeout: 110_000, interval: 50 };

test('an app whose code is not loaded in time can be tried again, and runs as soon as its code can be loaded', {
  timeout: 150_000,
}, async () => {
  await put(slow('first'));
  const registry = await start();
  expect(() => registry.get('slow')).toThrow(expect.objectContaining({ code: 'unavailable', reason: 'app_loading' }));
  expect(registry.pending()).toEqual(['slow']);
  expect(registry.mistakes().get('slow')).toMatchObject([{ reason: 'it did not load within 8 s' }]);
  await open();
  await vi.waitFor(() => expect(registry.get('slow').description).toBe('first'), patience);
  expect([registry.pending(), registry.mistakes().size]).toEqual([[], 0]);
});

test('a changed file whose code is not loaded in time serves as soon as it can be loaded, and the older one until then', {
  timeout: 150_000,
}, async () => {
  await put(slow('first'));
  await open();
  const registry = await start();
  await vi.waitFor(() => expect(registry.get('slow').description).toBe('first'), patience);
  await shut();
  await put(slow('second'));
  await registry.reload('slow');
  expect(registry.get('slow').description).toBe('first');
  expect([registry.pending(), registry.mistakes().size]).toEqual([[], 1]);
  await open();
  await vi.waitFor(() => expect(registry.get('slow').description).toBe('second'), patience);
  expect(registry.mistakes().size).toBe(0);
});

test('an app whose worker is killed while it loads is loaded again', { timeout: 150_000 }, async () => {
  const mark = join(dir, 'slow/mark');
  await writeFile(join(dir, 'slow/package.json'), JSON.stringify({ agentmesh: { write: ['mark'] } }));
  await put(`import { existsSync, writeFileSync } from 'node:fs';
import { LlmAgent } from '@google/adk';
if (!existsSync(${JSON.stringify(mark)})) {
  writeFileSync(${JSON.stringify(mark)}, '');
  process.kill(process.pid, 'SIGKILL');
}
export const rootAgent = new LlmAgent({ name: 'agent', model: 'echo/echo' });`);
  const registry = await start();
  await vi.waitFor(() => expect(registry.list().map(({ name }) => name)).toEqual(['slow']), patience);
});

test('an app whose folder goes away before its worker starts is refused, and served when it is back', {
  timeout: 150_000,
}, async () => {
  const codeApps = resources.use(openCodeApps());
  const folder = join(dir, 'slow/gone');
  const request = { appName: 'slow', folder, entry: 'agent.ts' };
  const load = () => codeApps.load({ request, text: '', language: 'typescript' }, undefined);
  await expect(load()).rejects.toThrow('its process could not be started');
  await mkdir(folder);
  await writeFile(join(folder, 'agent.ts'), slow('back').replace('slow/open', 'slow/gone'));
  expect((await load()).description).toBe('back');
});
