import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const client = fileURLToPath(new URL('../../sdk/typescript', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (program: string, args: readonly string[], cwd = folder): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

test('the packed client is installed into an empty project, without dependencies, with its types', () => {
  const before = readFileSync(join(client, 'package.json'), 'utf8');
  run('npm', ['pack', '--pack-destination', folder], client);
  expect(readFileSync(join(client, 'package.json'), 'utf8')).toBe(before);
  const [tarball = ''] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`]);
  expect(readdirSync(join(folder, 'node_modules')).filter((it) => !it.startsWith('.'))).toEqual(['@agentmesh']);
  const program = `import { AgentMesh } from '@agentmesh/client'; console.log(typeof new AgentMesh({ token: 't' }).runs.stream);`;
  expect(run('node', ['--input-type=module', '--eval', program])).toBe('function\n');
  const typed = (status: string): string =>
    `import { AgentMesh, type Run } from '@agentmesh/client';\nconst run: Run = await new AgentMesh({ token: 't' }).runs.get('1');\nexport const wrong: ${status} = run.status;\n`;
  const check = (): string =>
    run(join(client, 'node_modules', '.bin', 'tsc'), [
      '--noEmit',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom',
      'typed.ts',
    ]);
  writeFileSync(join(folder, 'typed.ts'), typed('string'));
  check();
  writeFileSync(join(folder, 'typed.ts'), typed('number'));
  expect(check).toThrow();
}, 300_000);
