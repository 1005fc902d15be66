import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { newAccount } from '../caller.ts';
import { startMesh } from '../mesh.ts';
import { homelessEnvironment } from '../plain-environment.ts';
import { startRegistry } from './offline-registry.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-pack-'));
const run = promisify(execFile);
const tarballs: Record<string, string> = {};
beforeAll(() => {
  const client = join(folder, 'client');
  execFileSync(process.execPath, [join(repository, 'sdk', 'typescript', 'pack.mjs'), client], { stdio: 'pipe' });
  for (const [name, from] of [
    ['agentmesh', join(repository, 'cli')],
    ['@agentmesh/client', client],
  ] as const) {
    const into = join(folder, 'tarballs', name);
    mkdirSync(into, { recursive: true });
    execFileSync('npm', ['pack', '--pack-destination', into], { cwd: from, stdio: 'pipe' });
    tarballs[name] = join(into, readdirSync(into)[0] ?? '');
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Runs a program in a folder that has nothing of this repository, with a home of its own. */
async function outside(cwd: string, registry: string, program: string, ...args: string[]): Promise<Ended> {
  const { AGENTMESH_URL = '', AGENTMESH_TOKEN = '' } = process.env;
  const own = { npm_config_registry: registry, npm_config_audit: 'false', HOME: folder };
  const env = { ...homelessEnvironment, AGENTMESH_URL, AGENTMESH_TOKEN, ...own };
  return run(program, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      status: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

test('the packed command comes from a registry, without dependencies, and makes a folder of agents whose test passes', async () => {
  await using registry = await startRegistry(
    Object.entries(tarballs).map(([name, tarball]) => ({ name, version: '0.1.0', tarball })),
  );
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const made = await outside(empty, registry.url, 'npx', '--yes', 'agentmesh', 'init', 'support');
  expect(made).toEqual({ status: 0, output: expect.stringContaining('cd support && npx agentmesh dev') });
  const support = join(empty, 'support');
  expect(readdirSync(join(support, 'agents')).sort()).toEqual(['support', 'support_tools']);
  const tested = await outside(support, registry.url, process.execPath, '--test', 'test/orders.test.ts');
  expect(tested).toMatchObject({ status: 0 });
  const doctor = await outside(
    support,
    registry.url,
    'npx',
    '--yes',
    'agentmesh',
    'doctor',
    '--url',
    'http://127.0.0.1:9',
  );
  expect(doctor).toEqual({ status: 1, output: expect.stringContaining('http://127.0.0.1:9 does not answer') });
  const served = await outside(support, registry.url, 'npx', '--yes', 'agentmesh', 'dev');
  expect(served).toEqual({ status: 2, output: expect.stringContaining('from a clone of the repository') });
}, 300_000);

test('the road of an author goes from an empty folder to a record, by the packed command alone', async () => {
  await using registry = await startRegistry(
    Object.entries(tarballs).map(([name, tarball]) => ({ name, version: '0.1.0', tarball })),
  );
  const home = join(folder, 'author');
  mkdirSync(home);
  const npx = (cwd: string, ...args: string[]): Promise<Ended> =>
    outside(cwd, registry.url, 'npx', '--yes', 'agentmesh', ...args);
  expect(await npx(home, 'init', 'support')).toMatchObject({ status: 0 });
  const support = join(home, 'support');
  // It stands for `agentmesh dev`, which starts the same from a clone.
  await using mesh = await startMesh({ mode: 'all', env: { AGENTS_DIR: join(support, 'agents') } });
  const { token = '' } = await newAccount(mesh.url);
  vi.stubEnv('AGENTMESH_URL', mesh.url);
  vi.stubEnv('AGENTMESH_TOKEN', token);
  const ask = '[[tool:find_order {"number":"A-1"}]]';
  expect(await npx(support, 'run', 'support_tools', ask)).toEqual({
    status: 0,
    output: expect.stringContaining('find_order: {"state":"packed"}'),
  });
  const tool = join(support, 'agents', 'support_tools', 'orders.ts');
  writeFileSync(tool, readFileSync(tool, 'utf8').replace("'packed'", "'at your door'"));
  expect((await npx(support, 'run', 'support_tools', ask)).output).toContain('{"state":"at your door"}');
  expect((await npx(support, 'agents', 'push', 'agents/support/root_agent.yaml')).output).toContain('made support');
  expect(await npx(support, 'agents', 'versions', 'support')).toMatchObject({ status: 0 });
}, 300_000);

test('the packed client and the packed command are installed into one project from a registry', async () => {
  await using registry = await startRegistry(
    Object.entries(tarballs).map(([name, tarball]) => ({ name, version: '0.1.0', tarball })),
  );
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const installed = await outside(project, registry.url, 'npm', 'install', 'agentmesh', '@agentmesh/client');
  expect(installed).toMatchObject({ status: 0 });
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<string, object>;
  expect(dependencies).toEqual({ agentmesh: '^0.1.0', '@agentmesh/client': '^0.1.0' });
  expect(readdirSync(join(project, 'node_modules')).filter((it) => !it.startsWith('.'))).toEqual([
    '@agentmesh',
    'agentmesh',
  ]);
  const help = await outside(project, registry.url, 'npx', 'agentmesh', '--help');
  expect(help).toEqual({ status: 0, output: expect.stringMatching(/^Usage: agentmesh .*\n.* doctor /s) });
}, 300_000);

test('the packed client has whole types for its users', async () => {
  const project = join(folder, 'typed');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarballs['@agentmesh/client'] ?? ''], {
    cwd: project,
  });
  const program = `import { AgentMesh } from '@agentmesh/client'; console.log(typeof new AgentMesh({ token: 't' }).runs.stream);`;
  const ran = await run('node', ['--input-type=module', '--eval', program], { cwd: project });
  expect(ran.stdout).toBe('function\n');
  const typed = (status: string): string =>
    `import { AgentMesh, type Run } from '@agentmesh/client';\nconst run: Run = await new AgentMesh({ token: 't' }).runs.get('1');\nexport const wrong: ${status} = run.status;\n`;
  const tsc = join(repository, 'sdk', 'typescript', 'node_modules', '.bin', 'tsc');
  const check = (): Promise<unknown> =>
    run(tsc, ['--noEmit', '--module', 'nodenext', '--lib', 'es2023,dom', 'typed.ts'], { cwd: project });
  writeFileSync(join(project, 'typed.ts'), typed('string'));
  await check();
  writeFileSync(join(project, 'typed.ts'), typed('number'));
  await expect(check()).rejects.toMatchObject({ stdout: expect.stringContaining('TS2322') });
}, 300_000);
