import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type TestMesh, startMesh } from '../mesh.ts';
import { hasPython, installPython } from '../python-client.ts';

/** Requests for each operation, and for all of them together at least. */
const [ofOperation, atLeast] = process.env['VERIFY'] === 'full' ? [80, 10_000] : [4, 500];
const seed = process.env['VERIFY_SEED'] ?? '1';
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The findings of schemathesis in its report; `code` is 0 when each answer was as described. */
interface Report {
  readonly code: number | null;
  readonly output: string;
}

async function fuzz(python: string, mesh: TestMesh): Promise<Report> {
  const args = ['--config-file', here('schemathesis.toml'), 'run', `${mesh.url}/openapi.json`];
  const generation = ['--phases', 'fuzzing', '--max-examples', String(ofOperation), '--seed', seed, '--no-shrink'];
  const output = ['--continue-on-failure', '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'];
  const env = { PATH: process.env['PATH'], SCHEMATHESIS_HOOKS: here('hooks.py'), MESH_URL: mesh.url };
  const child = spawn(join(dirname(python), 'st'), [...args, ...generation, ...output], {
    cwd: dirname(python),
    env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: (await written).join('') };
}

test.skipIf(!hasPython)(
  `each answer to ${atLeast} generated requests is one that the description names, streams and uploads included`,
  async () => {
    await using resources = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'description-'));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    const python = await installPython(folder, 'schemathesis==4.32.5');
    const env = { RATE_LIMIT_ENABLED: 'false' };
    const mesh = resources.use(await startMesh({ mode: 'all', env, mostLines: 1_000 }));
    const { code, output } = await fuzz(python, mesh);
    // Whole: a comparison would be cut where it is shown.
    if (code !== 0) throw new Error(output);
    expect(Number(/(\d+) generated/.exec(output)?.[1])).toBeGreaterThanOrEqual(atLeast);
  },
  1_200_000,
);
