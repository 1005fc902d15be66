import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openCodeApps } from '../../../../../test/open-code-apps.ts';
import { type AgentBench, createAppBench } from '../../../../../test/run-agents.ts';
import { userNamespace } from './user-namespace.ts';

const secret = 'value-of-the-server';
const apps = openCodeApps({ env: { WEATHER_KEY: 'given', UNSET_KEY: undefined } });
const parent = await mkdtemp(join(tmpdir(), 'walls-'));
vi.stubEnv('OPENAI_API_KEY', secret);

/** Each tool tries one thing, and answers with what it has seen or the code of its error. */
const agent = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync, readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FunctionTool, LlmAgent } from '@google/adk';
const attempts: Record<string, () => unknown> = {
  env: () => Object.keys(process.env).filter((name) => name !== 'ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS').sort(),
  own: () => readFileSync('note.txt', 'utf8'),
  beside: () => readFileSync('../beside.txt', 'utf8'),
  list: () => readdirSync('..'),
  environment: () => readFileSync('/proc/' + process.ppid + '/environ', 'utf8'),
  write: () => (writeFileSync('made.txt', 'x'), 'written'),
  program: () => execFileSync('echo', ['started'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  look: () => execFileSync('sh', ['-c', 'cat /proc/' + process.ppid + '/environ | tr -d "\\\\0"'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  thread: () => (new Worker('0', { eval: true, execArgv: [] }), 'started'),
  addon: () => process.dlopen({ exports: {} }, process.execPath),
};
const tryIt = (attempt: () => unknown) => {
  try { return { seen: attempt() }; } catch (error) { return { code: (error as { code?: string }).code ?? String(error) }; }
};
const tools = Object.entries(attempts).map(([name, attempt]) => new FunctionTool({ name, description: name, execute: () => tryIt(attempt) }));
export const rootAgent = new LlmAgent({ name: 'walls', model: 'echo/echo', tools });
`;

async function makeApp(name: string, asked?: object): Promise<() => Promise<AgentBench>> {
  const folder = await mkdtemp(join(parent, `${name}-`));
  await writeFile(join(folder, 'agent.ts'), agent);
  await writeFile(join(folder, 'note.txt'), 'mine');
  if (asked !== undefined) await writeFile(join(folder, 'package.json'), JSON.stringify({ agentmesh: asked }));
  const request = { appName: name, folder, entry: 'agent.ts' };
  return async () => createAppBench(await apps.load({ request, text: '', language: 'typescript' }, undefined));
}

async function attempt(bench: AgentBench, name: string): Promise<{ seen?: unknown; code?: string }> {
  const { events } = await bench.run({ text: `[[tool:${name} {}]]` });
  const parts = events.flatMap(({ content }) => (content as { parts: object[] }).parts);
  const found = parts.find((part) => 'functionResponse' in part) as { functionResponse: { response: object } };
  return { ...found.functionResponse.response };
}

beforeAll(() => writeFile(join(parent, 'beside.txt'), 'of another'));
afterAll(async () => {
  vi.unstubAllEnvs();
  apps[Symbol.dispose]();
  await rm(parent, { recursive: true });
});

describe('the code of an app that asks for nothing', () => {
  let bench: AgentBench;
  beforeAll(async () => {
    bench = await (await makeApp('plain'))();
  });

  test('has an empty environment', async () => {
    expect(await attempt(bench, 'env')).toEqual({ seen: [] });
  });

  test('reads its own folder', async () => {
    expect(await attempt(bench, 'own')).toEqual({ seen: 'mine' });
  });

  test.each(['beside', 'list', 'environment', 'write', 'program', 'thread'])(
    'is kept from the rest of the machine: %s',
    async (name) => {
      expect(await attempt(bench, name)).toEqual({ code: 'ERR_ACCESS_DENIED' });
    },
  );

  test('loads no module in machine code', async () => {
    expect(await attempt(bench, 'addon')).toEqual({ code: 'ERR_DLOPEN_DISABLED' });
  });
});

describe('the code of an app whose package.json asks for more', () => {
  let bench: AgentBench;
  beforeAll(async () => {
    const asked = {
      env: ['WEATHER_KEY', 'UNSET_KEY', 'PATH'],
      read: ['../beside.txt'],
      write: ['.'],
      childProcesses: true,
    };
    bench = await (await makeApp('more', asked))();
  });

  test('gets the variables that it names and that are set', async () => {
    expect(await attempt(bench, 'env')).toEqual({ seen: ['PATH', 'WEATHER_KEY'] });
  });

  test.each([
    ['beside', 'of another'],
    ['write', 'written'],
    ['program', 'started\n'],
  ])('may do it: %s', async (name, seen) => {
    expect(await attempt(bench, name)).toEqual({ seen });
  });

  test('starts programs that cannot read the environment of the server, where the system has user namespaces', async () => {
    const text = JSON.stringify(await attempt(bench, 'look'));
    if ((await userNamespace(parent)).length > 0) expect(text).not.toContain(secret);
  });
});

test.each([
  [{ env: ['OPENAI_API_KEY'] }, 'package.json: agentmesh.env: "OPENAI_API_KEY" is given to no code'],
  [{ environment: ['PATH'] }, 'package.json: agentmesh.environment: is not a key here'],
  [{ write: '.' }, 'package.json: agentmesh.write: must be array'],
])('what an app may not ask for is told to its author: %j', async (asked, told) => {
  const load = await makeApp('wrong', asked);
  await expect(load()).rejects.toThrow(told);
});
