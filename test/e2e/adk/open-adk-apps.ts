import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import type { Caller } from '../../caller.ts';

const agents = `
import { BaseAgent, createEvent, createEventActions, FunctionTool, LlmAgent } from '@google/adk';

const tool = (name) => new FunctionTool({ name, description: 'A tool.', execute: () => ({ said: name }) });
const llm = (name, tools, subAgents = []) =>
  new LlmAgent({ name, description: 'About ' + name, model: 'echo/echo', tools: tools.map(tool), subAgents });

class Dummy extends BaseAgent {
  async *runAsyncImpl({ invocationId, userContent }) {
    const say = (part, more = {}) =>
      createEvent({ author: this.name, invocationId, content: { role: 'model', parts: [part] }, ...more });
    const asked = userContent?.parts?.[0]?.text;
    if (asked === 'raise') throw new Error('boom');
    if (asked === 'save') {
      const actions = createEventActions({ artifactDelta: { 'artifact.txt': 0 } });
      return yield say({ text: 'reply' }, { actions });
    }
    yield say({ text: 'reply' });
    yield say({ inlineData: { mimeType: 'audio/pcm;rate=24000', data: 'AP8=' } });
    yield createEvent({ author: this.name, invocationId, interrupted: true });
  }
}
`;

const roots = {
  dummy: `new Dummy({ name: 'dummy' })`,
  plain: `llm('plain', [])`,
  tooled: `llm('tooled', ['my_tool'])`,
  forked: `llm('forked', [], [llm('sub_one', ['tool_one']), llm('sub_two', ['tool_two'])])`,
  nested: `llm('first', ['tool_one'], [llm('second', ['tool_two'], [llm('third', ['tool_three'])])])`,
};
export type AdkApp = keyof typeof roots;

export interface AdkApps extends AsyncDisposable {
  /** The name of an app in this mesh. */
  readonly name: (app: AdkApp) => string;
}

/** Makes apps in code, whose names begin with `prefix`, in the running mesh, and waits until they are served. */
export async function openAdkApps(caller: Caller, prefix: string, wanted: readonly AdkApp[]): Promise<AdkApps> {
  const name = (app: AdkApp) => `${prefix}_${app}`;
  const folder = (app: AdkApp) => join(inject('agentsDir'), name(app));
  for (const app of wanted) {
    await mkdir(folder(app));
    await writeFile(join(folder(app), 'agent.js'), `${agents}\nexport const rootAgent = ${roots[app]};\n`);
  }
  await vi.waitFor(async () => {
    const { body } = await caller.request<string[]>('GET', '/list-apps');
    if (!wanted.every((app) => body.includes(name(app)))) throw new Error('The apps are not listed.');
  });
  return {
    name,
    [Symbol.asyncDispose]: async () => {
      for (const app of wanted) await rm(folder(app), { recursive: true });
    },
  };
}
