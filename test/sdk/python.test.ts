import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPython, installPythonClient } from '../python-client.ts';
import { startCaseControl } from './case-control.ts';

const client = fileURLToPath(new URL('../../sdk/python', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-python-'));
let python: string;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function run(program: string, ...args: string[]): Promise<Ended> {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: (await written).join('') };
}

// Into an empty environment, by the command of its README.
beforeAll(async () => {
  if (!hasPython) return;
  python = await installPythonClient(folder, 'mypy');
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasPython)('the client for Python', () => {
  test.each(['sync', 'async'])(
    'sees what the conformance cases say: %s',
    async (mode) => {
      await using control = await startCaseControl();
      const { code, output } = await run(python, join(client, 'tests', 'run_cases.py'), control.url, mode);
      expect([code, output]).toEqual([0, expect.stringMatching(/^\d{3,} played, 0 wrong\n$/)]);
    },
    600_000,
  );

  test('has one source for both ways of waiting, and whole types', async () => {
    const script = `import sys; sys.path.insert(0, ${JSON.stringify(client)}); import make_sync; sys.exit(make_sync.sync_text() != (make_sync.folder / "_sync.py").read_text())`;
    expect(await run(python, '-B', '-c', script)).toMatchObject({ code: 0 });
    const config = join(client, 'pyproject.toml');
    const checked = await run(python, '-m', 'mypy', '--config-file', config, join(client, 'src', 'agentmesh'));
    expect(checked).toMatchObject({ code: 0 });
  });
});
