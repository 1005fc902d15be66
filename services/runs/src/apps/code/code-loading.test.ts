import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeavePolicy } from '@agentmesh/proto/runs/v1';
import { Multitask } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCodeApps } from '../../../test/open-code-apps.ts';
import { createAppBench } from '../../../test/run-agents.ts';
import type { App } from '../building/app.ts';
import { AppFilesError, printMistake } from '../definition/mistake.ts';

const dir = await mkdtemp(join(tmpdir(), 'code-'));
const apps = openCodeApps({ memoryMb: 300 });
const hasty = openCodeApps({ loadMs: 1_000 });

/** An agent with a tool whose arguments have a schema. */
function withSchema(parameters: string): string {
  return `import { FunctionTool, LlmAgent } from '@google/adk';
import { z } from 'zod';
const tool = new FunctionTool({ name: 'odd', description: 'Odd.', parameters: ${parameters}, execute: () => z });
export const rootAgent = new LlmAgent({ name: 'agent', model: 'echo/echo', tools: [tool] });`;
}

/** Code that cannot be used, by the name of its app. */
const broken: Readonly<Record<string, string>> = {
  throws: "const a: number = 1;\n  throw new TypeError('no key');\n",
  nothing: 'const rootAgent = 1;\n',
  wrong: 'export const rootAgent = { name: "x" };\nexport const other = 2;\n',
  syntax: 'const a = 1;\nconst b = ;\n',
  missing: "import { x } from './absent.js';\nexport const rootAgent = x;\n",
  waits: 'await new Promise(() => setInterval(() => {}, 1000));\n',
  spins: 'for (;;);\n',
  leaks: 'const kept: unknown[] = []; for (;;) kept.push(new Array(1000).fill(Math.random()));\n',
  exits: 'process.exit(0);\n',
  large: withSchema("{ type: 'OBJECT', properties: {}, description: 'x'.repeat(1_000_000) }"),
  circular: withSchema(
    '(() => { const a: any = { type: "OBJECT", properties: {} }; a.properties.a = a; return a; })()',
  ),
  recursive: `${withSchema('(() => { const a: any = z.object({ get next() { return a.optional(); } }); return a; })()')}
export const appSettings = { multitask: 'rollback', on_disconnect: 'cancel', run_limits: { tokens: 9 }, resumable: false };`,
  misnames: `${withSchema('z.object({})')}\nexport const appSettings = { multitask: 'perhaps', limits: 1 };`,
  unsummarized: `${withSchema('z.object({})')}\nexport const appSettings = { events_compaction_config: { compaction_interval: 3, overlap_size: 1 } };`,
};

/** Those that only the time limit ends: they take a core until then. */
const endless = new Set(['waits', 'spins']);
const reasons = new Map<string, string>();
const loaded = new Map<string, App>();

async function load(name: string, text: string): Promise<string> {
  const using = endless.has(name) ? hasty : apps;
  const folder = join(dir, name);
  await mkdir(folder);
  await writeFile(join(folder, 'agent.ts'), text);
  const request = { appName: name, folder, entry: 'agent.ts' };
  try {
    loaded.set(name, await using.load({ request, text: '', language: 'typescript' }, undefined));
    return 'loaded';
  } catch (error) {
    return error instanceof AppFilesError ? error.mistakes.map(printMistake).join('\n') : String(error);
  }
}

beforeAll(async () => {
  const loadAll = (codes: [string, string][]) =>
    Promise.all(codes.map(async ([name, text]) => reasons.set(name, await load(name, text))));
  const codes = Object.entries(broken);
  await loadAll(codes.filter(([name]) => !endless.has(name)));
  await loadAll(codes.filter(([name]) => endless.has(name)));
}, 240_000);

afterAll(async () => {
  apps[Symbol.dispose]();
  hasty[Symbol.dispose]();
  await rm(dir, { recursive: true, force: true });
});

test.each([
  ['throws', 'agent.ts:2:9: TypeError: no key'],
  ['nothing', 'agent.ts: exports no agent of @google/adk: export one as rootAgent. It exports nothing'],
  ['wrong', 'agent.ts: exports no agent of @google/adk: export one as rootAgent. It exports other, rootAgent'],
  ['syntax', 'agent.ts:2:11: SyntaxError: Expression expected'],
  ['missing', "agent.ts: Error: Cannot find module 'absent.js' imported from agent.ts"],
  ['waits', 'agent.ts: it did not load within 1 s'],
  ['spins', 'agent.ts: it did not load within 1 s'],
  ['leaks', 'agent.ts: it used more than 300 MB'],
  ['exits', 'agent.ts: it exited with code 0'],
  ['large', 'agent.ts: Error: the tool "odd" cannot be used: its description and schemas are larger than 65536 bytes'],
  ['circular', 'agent.ts: Error: the tool "odd" cannot be used: its schema has more than 32 levels'],
  ['recursive', 'loaded'],
  [
    'misnames',
    'agent.ts: appSettings.limits: is not a key here. Keys: KEYS\n' +
      'agent.ts: appSettings.multitask: "perhaps" is not allowed. Allowed: enqueue, reject, interrupt, rollback',
  ],
  ['unsummarized', 'agent.ts: appSettings.events_compaction_config.summarizer.model: is required for an app in code'],
])('code that %s at load is refused with the place and the reason', (name, reason) => {
  expect(reasons.get(name)?.replace(/Keys: .*/, 'Keys: KEYS')).toBe(reason);
});

test('code exports the settings of its runs with the keys of root_agent.yaml', () => {
  const { settings } = loaded.get('recursive') ?? {};
  const chosen = {
    multitask: Multitask.ROLLBACK,
    onLeave: LeavePolicy.CANCEL,
    limits: { tokens: 9 },
    isResumable: false,
  };
  expect(settings).toMatchObject(chosen);
});

/** Fails when a name leads to another copy than the worker's, in which agents and models are none and schemas of zod are not known. */
const shares = `import * as all from '@google/adk';
import * as core from '@google/adk/core';
import { Type } from '@google/genai';
import * as genai from '@google/genai/node';
import { z } from 'zod';
import { ZodType } from 'zod/v4';
const isOne = { adk: core.LlmAgent === all.LlmAgent, genai: genai.Type === Type, zod: ZodType === z.ZodType };
if (Object.values(isOne).includes(false)) throw new Error(JSON.stringify(isOne));
class Own extends all.BaseLlm {
  static readonly supportedModels = [/^own/];
  async *generateContentAsync() { yield { content: { role: 'model', parts: [{ text: 'from the class of the app' }] } }; }
}
all.LLMRegistry.register(Own);
export const rootAgent = new all.LlmAgent({ name: 'agent', model: 'own' });`;

test('code has the ADK of its worker and one zod, by whatever name it imports them', async () => {
  expect(await load('shares', shares)).toBe('loaded');
  const { events } = await createAppBench(loaded.get('shares') ?? expect.fail()).run({ text: 'hi' });
  expect(JSON.stringify(events)).toContain('from the class of the app');
});
