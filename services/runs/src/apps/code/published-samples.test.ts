import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { openCodeApps } from '../../../test/open-code-apps.ts';
import { createAppBench } from '../../../test/run-agents.ts';
import { calls, says, ScriptLlm } from '../../../test/script-llm.ts';
import type { CodeApps } from './host/code-apps.ts';

// The packages of ADK on npm hold one sample, the agent of `adk create`; their READMEs name the repository for others.
const root = new URL('../../../../../', import.meta.url);
const creator = new URL('test/node_modules/@google/adk-devtools/dist/esm/cli/cli_create.js', root);
const folders: string[] = [];
const opened: CodeApps[] = [];

afterAll(async () => {
  for (const apps of opened) apps[Symbol.dispose]();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** The agent that `adk create` of ADK's development tools writes. */
async function createdAgent(model: string): Promise<string> {
  const source = await readFile(creator, 'utf8');
  const [, template = ''] = /const AGENT_TEMPLATE = (\(model\) => `[\s\S]*?`)\.trim\(\);/.exec(source) ?? [];
  return (runInNewContext(template) as (model: string) => string)(model);
}

const packageJson = '{"name": "hello", "version": "1.0.0", "main": "agent.js", "license": "ISC"}';

test.each(['ts', 'js'])(
  'the agent that `adk create` writes runs unchanged, in %s, on a model of the server',
  async (end) => {
    const folder = await mkdtemp(join(tmpdir(), 'created-'));
    folders.push(folder);
    await writeFile(join(folder, `agent.${end}`), await createdAgent('gemini-2.5-flash'));
    await writeFile(join(folder, 'package.json'), packageJson);
    await writeFile(join(folder, '.env'), 'GOOGLE_GENAI_API_KEY=of-the-app\n');
    const model = new ScriptLlm(calls('get_current_time', { city: 'Rome' }), says('It is 10:30 AM.'));
    const apps = openCodeApps({}, { resolve: () => model, problemWith: () => undefined });
    opened.push(apps);
    const language = end === 'ts' ? 'typescript' : 'javascript';
    const request = { appName: 'hello', folder, entry: `agent.${end}` };
    const app = await apps.load({ request, text: '', language }, undefined);
    expect(app.rootName).toBe('hello_time_agent');
    const seen = await createAppBench(app).run({ text: 'What time is it in Rome?' });
    const texts = JSON.stringify(seen.events);
    expect(texts).toContain('The current time in Rome is 10:30 AM');
    expect(texts).toContain('It is 10:30 AM.');
    expect(JSON.stringify(model.requests[0]?.config)).toContain('You are a helpful assistant');
  },
);

test('the sample app weather runs, and an error of its tool is told to the model', async () => {
  const folder = fileURLToPath(new URL('agents/weather', root));
  const apps = openCodeApps();
  opened.push(apps);
  const request = { appName: 'weather', folder, entry: 'agent.ts' };
  const app = await apps.load({ request, text: '', language: 'typescript' }, undefined);
  const seen = await createAppBench(app).run({ text: '[[tool:convert_temperature {"celsius":20}]]' });
  expect(JSON.stringify(seen.events)).toContain('{"fahrenheit":68}');
});
