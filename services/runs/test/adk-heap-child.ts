import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { LlmRequest, LlmResponse } from '@google/adk/core';

/** Numbers in the state of each run, of eight bytes each. */
const payloadLength = 2_000;

/**
 * Prints how many bytes the heap grows by each run of an agent, as turns open it, while V8 makes minor collections alone: what a run leaves behind then
 * stays until the next full collection. With a folder as argument, files of ADK that it holds are loaded in place of those installed.
 */
const [, , folder] = process.argv;
if (folder !== undefined) loadFrom(folder);
const { BaseLlm, LlmAgent } = await import('@google/adk');
const { openAgents } = await import('../src/apps/turns/open-agents.ts');
const { CallerNote } = await import('../src/models/use/model-caller.ts');

class Model extends BaseLlm {
  override async *generateContentAsync(_: LlmRequest): AsyncGenerator<LlmResponse, void> {
    yield { content: { role: 'model', parts: [{ text: 'ok' }] } };
  }

  override connect(): Promise<never> {
    return Promise.reject(new Error('no live connection'));
  }
}

const agent = new LlmAgent({ name: 'agent', model: new Model({ model: 'none' }) });
agent.requestProcessors.push(new CallerNote());
const encoder = new TextEncoder();
const session = { accountId: 'c', appName: 'a', userId: 'u', sessionId: 's' };
const messageJson = encoder.encode('{"role":"user","parts":[{"text":"hello"}]}');
const window = { sessionPk: 1n, timeline: '', lastSeq: 1, events: [] };

async function runOnce(index: number): Promise<void> {
  // Numbers of its own: a text could be shared between runs.
  const payload = Array.from({ length: payloadLength }, (_, at) => index + at + 0.5);
  const stateJson = encoder.encode(JSON.stringify({ payload }));
  const turn = create(TurnSchema, { session, invocationId: 'e-1', stateJson, messageJson });
  const { signal } = new AbortController();
  const { loop } = openAgents(agent, { turn, window, maxModelCalls: 5, signal });
  for (let next = await loop.next(); next.done !== true; next = await loop.next());
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
