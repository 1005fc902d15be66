import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { InvocationContextParams, LlmRequest, LlmResponse } from '@google/adk';

/** Numbers in the state of each run, of eight bytes each. */
const payloadLength = 2_000;

/**
 * Prints how many bytes the heap grows by each run of an agent while V8 makes minor collections alone: what a run leaves behind then
 * stays until the next full collection. With a folder as argument, files of ADK that it holds are loaded in place of those installed.
 */
const [, , folder] = process.argv;
if (folder !== undefined) loadFrom(folder);
const { BaseLlm, createEvent, createSession, InvocationContext, LlmAgent, PluginManager } = await import('@google/adk');

class Model extends BaseLlm {
  override async *generateContentAsync(_: LlmRequest): AsyncGenerator<LlmResponse, void> {
    yield { content: { role: 'model', parts: [{ text: 'ok' }] } };
  }

  override connect(): Promise<never> {
    return Promise.reject(new Error('no live connection'));
  }
}

const agent = new LlmAgent({ name: 'agent', model: new Model({ model: 'none' }) });
const pluginManager = new PluginManager();

async function runOnce(index: number): Promise<void> {
  // Numbers of its own: a text could be shared between runs.
  const state = { payload: Array.from({ length: payloadLength }, (_, at) => index + at + 0.5) };
  const content = { role: 'user', parts: [{ text: 'hello' }] };
  const session = createSession({
    id: 's',
    appName: 'a',
    userId: 'u',
    state,
    events: [createEvent({ author: 'user', content })],
    lastUpdateTime: 0,
  });
  const params: InvocationContextParams = { invocationId: 'e-1', agent, session, pluginManager, userContent: content };
  for await (const _ of agent.runAsync(new InvocationContext(params)));
}

const runs = 100;
for (let index = 0; index < runs; index += 1) await runOnce(index);
collect('major');
let majors = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { kind } = Reflect.get(entry, 'detail') as { readonly kind: number };
    if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) majors += 1;
  }
}).observe({ entryTypes: ['gc'] });
const before = process.memoryUsage().heapUsed;
for (let index = 0; index < runs; index += 1) {
  await runOnce(index);
  if (index % 25 === 0) collect('minor');
}
// An object that is alive is moved to the old heap by its second minor collection.
collect('minor');
collect('minor');
const bytesPerRun = Math.round((process.memoryUsage().heapUsed - before) / runs);
await new Promise((resolve) => setImmediate(resolve));
process.stdout.write(JSON.stringify({ bytesPerRun, payloadBytes: payloadLength * 8, majors }));

function collect(type: 'minor' | 'major'): void {
  if (globalThis.gc === undefined) throw new Error('needs --expose-gc');
  globalThis.gc({ type, execution: 'sync' });
}

function loadFrom(folder: string): void {
  registerHooks({
    load(url, context, nextLoad) {
      const [, path] = /\/@google\/adk\/(dist\/esm\/.+\.js)$/.exec(url) ?? [];
      if (path === undefined) return nextLoad(url, context);
      try {
        return { format: 'module', source: readFileSync(join(folder, path), 'utf8'), shortCircuit: true };
      } catch {
        return nextLoad(url, context);
      }
    },
  });
}
