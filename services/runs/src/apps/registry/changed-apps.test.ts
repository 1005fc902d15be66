import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openCodeApps, testModels } from '../../../test/open-code-apps.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';
import { type AppFinder, createAppFinder } from './app-finder.ts';
import { quietAdk } from './quiet-adk.ts';
import { createRegistry } from './registry.ts';
import { watchApps } from './watch-apps.ts';

const log = createLogger({ level: 'silent', name: 'test' });
quietAdk(log);

let dir: string;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'changed-'));
  await mkdir(join(dir, 'echo'));
  await put('first');
  resources = new AsyncDisposableStack();
  resources.defer(() => rm(dir, { recursive: true, force: true }));
});
afterEach(() => resources.disposeAsync());

const put = (description: string, more = '') =>
  writeFile(join(dir, 'echo/root_agent.yaml'), `name: echo\nmodel: echo/echo\ndescription: ${description}\n${more}`);

async function start({ refusesMistakes = false, isWatched = true } = {}): Promise<AppFinder> {
  const codeApps = resources.use(openCodeApps({}));
  const parts = { models: testModels(), tools: createToolResolvers([]), toolTimeoutMs: 5_000, maxModelCalls: 25 };
  const registry = resources.use(await createRegistry({ dir, log, codeApps, ...parts }));
  const watch = isWatched ? resources.use(await watchApps({ dir, registry, log })) : { settled: () => undefined };
  const agents = { find: () => Promise.reject(new Error('no agents')), forget: () => undefined };
  return createAppFinder({ registry, agents, watch, served: [], refusesMistakes });
}

const mistake = 'modle: x\n';

test('for an author, every run uses the files as they are saved, whether the watch has seen them or not', async () => {
  const finder = await start({ refusesMistakes: true, isWatched: false });
  expect((await finder.find('', 'echo')).description).toBe('first');
  await put('second');
  expect((await finder.find('', 'echo')).description).toBe('second');
  await put('third', mistake);
  const told = 'echo/root_agent.yaml:4:1: modle: is not a key here. Did you mean "model"?';
  const refusal = { code: 'failed_precondition', reason: 'app_has_mistakes', message: expect.stringContaining(told) };
  await expect(finder.find('', 'echo')).rejects.toMatchObject(refusal);
  await put('fourth');
  expect((await finder.find('', 'echo')).description).toBe('fourth');
});

test('in production the last good version serves, with its version, and says that newer files have mistakes', async () => {
  const finder = await start();
  const { version } = await finder.find('', 'echo');
  expect(version.agent).toEqual({ version: expect.stringMatching(/^[0-9a-f]{12}$/), filesTime: expect.any(Number) });
  await put('second', mistake);
  await vi.waitFor(async () => expect((await finder.find('', 'echo')).version.agent.state).toBe('stale'), 10_000);
  const stale = await finder.find('', 'echo');
  expect([stale.description, stale.version.agent]).toEqual(['first', { ...version.agent, state: 'stale' }]);
  await put('third');
  await vi.waitFor(async () => expect((await finder.find('', 'echo')).description).toBe('third'), 10_000);
  expect((await finder.find('', 'echo')).version.agent).not.toHaveProperty('state');
});

test('a run that comes while saved files are being read waits for them', async () => {
  const reading = Promise.withResolvers<void>();
  const registry = {
    reload: () => reading.promise,
    reloadAll: () => Promise.resolve(),
    refresh: () => Promise.resolve(false),
    refreshAll: () => Promise.resolve(),
  };
  const watch = resources.use(await watchApps({ dir, registry, log }));
  expect(watch.settled('echo')).toBeUndefined();
  await put('second');
  await vi.waitFor(() => expect(watch.settled('echo')).toBeDefined(), 10_000);
  let isSettled = false;
  const settled = watch.settled('echo')?.then(() => (isSettled = true));
  expect([isSettled, watch.settled('other')]).toEqual([false, undefined]);
  reading.resolve();
  await settled;
  await vi.waitFor(() => expect(watch.settled('echo')).toBeUndefined(), 10_000);
});
