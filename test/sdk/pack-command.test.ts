import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const cli = fileURLToPath(new URL('../../cli', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the packed command is installed into an empty project, without dependencies, and runs', () => {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: cli, stdio: 'pipe' });
  const [tarball = ''] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
  expect(readdirSync(join(folder, 'node_modules')).filter((it) => !it.startsWith('.'))).toEqual(['agentmesh']);
  const command = (...args: string[]): { status: number | null; output: string } => {
    const env = { PATH: process.env.PATH, HOME: folder };
    const { status, stdout, stderr } = spawnSync('npx', ['--offline', 'agentmesh', ...args], { cwd: folder, env });
    return { status, output: `${stdout.toString()}${stderr.toString()}` };
  };
  expect(command('--help')).toEqual({ status: 0, output: expect.stringMatching(/^Usage: agentmesh .*\n.* doctor /s) });
  const doctor = command('doctor', '--url', 'http://127.0.0.1:9');
  expect(doctor).toEqual({ status: 1, output: expect.stringContaining('http://127.0.0.1:9 does not answer') });
}, 300_000);
