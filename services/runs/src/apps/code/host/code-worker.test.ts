import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openCodeApps } from '../../../../test/open-code-apps.ts';
import { createAppBench } from '../../../../test/run-agents.ts';
import { sourceOf } from './code-source.ts';

/** An agent that says nothing to its host before each event, while the host looks at its worker some times. */
const slow = `
import { BaseAgent, createEvent } from '@google/adk';
class Slow extends BaseAgent {
  async *runAsyncImpl() {
    for (const text of ['one', 'two']) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text }] } });
    }
  }
  async *runLiveImpl() {}
}
export const rootAgent = new Slow({ name: 'slow' });
`;

/** Lets the clock of the host go forward by a minute in which nothing happens. */
function skipMinute(resources: AsyncDisposableStack): void {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  resources.defer(() => clock.mockRestore());
}

test.each([
  ['had no runs for long', true],
  ['could not be heard, because the host was held up itself,', false],
])('a run in a worker that %s is not ended as if its code had been busy all that time', async (_, isBefore) => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), slow);
  const apps = resources.use(openCodeApps({ busyMs: 10_000 }));
  const request = { appName: 'slow', folder, entry: 'agent.ts' };
  const bench = createAppBench(await apps.load({ request, text: '', language: 'typescript' }, undefined));
  if (isBefore) skipMinute(resources);
  const { seen } = await bench.begin();
  await expect.poll(() => bench.sessions.events(bench.key).length).toBeGreaterThan(1);
  if (!isBefore) skipMinute(resources);
  const texts = ['one', 'two'].map((text) => ({ author: 'slow', content: { parts: [{ text }] } }));
  expect((await seen).events).toMatchObject(texts);
});

/** Its runs fail in the way that their message names; one waits until another one has ended. */
const failing = `
import { BaseAgent, Context, createEvent, LLMRegistry } from '@google/adk';
const others = Promise.withResolvers();
const faults = {
  nothing: () => { throw ''; },
  unnamed: () => { throw Object.assign(new Error('no luck'), { name: 5 }); },
  bare: () => { throw Object.create(null); },
  text: () => Array.fromAsync(LLMRegistry.newLlm('openai/x').generateContentAsync({ contents: ['hello'], config: {}, toolsDict: {} })),
  keep: (context) => new Context({ invocationContext: context }).saveArtifact('a.txt', { text: 'a', odd: () => 1 }),
};
class Failing extends BaseAgent {
  async *runAsyncImpl(context) {
    const [{ text }] = context.userContent.parts;
    if (text === 'wait') await others.promise;
    else if (text === 'end') others.resolve();
    else if (text === 'odd') yield createEvent({ author: this.name, errorCode: 5 });
    else await faults[text](context);
    yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text: 'done' }] } });
  }
  async *runLiveImpl() {}
}
export const rootAgent = new Failing({ name: 'failing' });
`;

const faults = [
  ['nothing', 'Error'],
  ['unnamed', 'no luck (agent.ts:6:'],
  ['bare', 'a value that cannot be printed'],
  ['text', 'A call of the code cannot be answered: request'],
  ['keep', '() => 1 could not be cloned. (agent.ts:9:'],
  ['odd', 'An agent has yielded an event that cannot be used: errorCode'],
] as const;

test('a run whose code throws or yields what cannot be told to its host fails alone, and the others of its worker go on', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), failing);
  const apps = resources.use(openCodeApps());
  const request = { appName: 'failing', folder, entry: 'agent.ts' };
  const app = await apps.load({ request, text: '', language: 'typescript' }, undefined);
  const other = await createAppBench(app).begin({ text: 'wait' });
  for (const [text, message] of faults) {
    const { events } = await createAppBench(app).run({ text });
    expect(events).toMatchObject([{ errorCode: 'AGENT_ERROR', errorMessage: expect.stringContaining(message) }]);
  }
  await createAppBench(app).run({ text: 'end' });
  expect((await other.seen).events).toMatchObject([{ content: { parts: [{ text: 'done' }] } }]);
});

test('of the files that code says it was made of, the host reads those of its folder alone, and no devices', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await mkdir(join(folder, 'app'));
  await symlink('/dev/zero', join(folder, 'app', 'endless.ts'));
  const write = (text: string) =>
    Promise.all(['beside.ts', 'app/own.ts'].map((at) => writeFile(join(folder, at), text)));
  const source = (...files: string[]) => sourceOf(join(folder, 'app'), '', files);
  await write('one');
  const before = [await source('../beside.ts'), await source('own.ts'), await source(join(folder, 'beside.ts'))];
  await write('two');
  const after = [await source('../beside.ts'), await source('own.ts'), await source(join(folder, 'beside.ts'))];
  expect(after.map((one, index) => one === before[index])).toEqual([true, false, true]);
  expect(await source('endless.ts')).toBe(await source('endless.ts'));
});

/** The state of its first event is refused; then an agent calls a tool. */
const refused = `
import { BaseAgent, createEvent, FunctionTool, LlmAgent } from '@google/adk';
const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'seen' });
class Both extends BaseAgent {
  async *runAsyncImpl(context) {
    const event = createEvent({ author: this.name, content: { role: 'model', parts: [{ text: 'first' }] } });
    event.actions.stateDelta = { big: 'x'.repeat(100) };
    yield event;
    yield* this.subAgents[0].runAsync(context);
  }
  async *runLiveImpl() {}
}
export const rootAgent = new Both({ name: 'both', subAgents: [new LlmAgent({ name: 'agent', model: 'echo/echo', tools: [look] })] });
`;

test('an event whose state the host refuses takes the place of no later one', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), refused);
  const apps = resources.use(openCodeApps());
  const request = { appName: 'refused', folder, entry: 'agent.ts' };
  const bench = createAppBench(await apps.load({ request, text: '', language: 'typescript' }, undefined));
  bench.sessions.stateLimits = { stateMaxValueBytes: 80, stateMaxScopeBytes: 120 };
  const { events } = await bench.run({ text: '[[tool:look {}]]' });
  expect(events.at(-1)).toMatchObject({
    content: { parts: [{ text: expect.stringContaining('look: {"result":"seen"}') }] },
  });
});
