import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const patch = at('../../../patches/@google__adk@2.0.0.patch');

// The flags of the server (package.json, serverFlags), with room for all that is kept, so that V8 makes no full collection.
const flags = [
  '--expose-gc',
  '--max-semi-space-size=32',
  '--initial-old-space-size=1024',
  '--no-allocation-site-pretenuring',
];

interface Measured {
  readonly bytesPerRun: number;
  /** Size of the state of each run. */
  readonly payloadBytes: number;
  /** Full collections while it was measured. */
  readonly majors: number;
}

async function measure(...args: string[]): Promise<Measured> {
  const { stdout } = await run(process.execPath, [...flags, at('adk-heap-child.ts'), ...args]);
  return JSON.parse(stdout) as Measured;
}

/** The list of exports and what it names: without the patch our sources could not be loaded. */
const exported = ['dist/esm/common.js', 'dist/esm/agents/processors/base_llm_processor.js'];

/** The other files that the patch changes, as they were before it, in a folder of their own. */
async function unpatched(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adk-'));
  const text = await readFile(patch, 'utf8');
  for (const [, path = ''] of text.matchAll(/^\+\+\+ b\/(.+)$/gm)) {
    if (exported.includes(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(at(`../node_modules/@google/adk/${path}`), join(folder, path));
  }
  await run('git', ['apply', '--reverse', ...exported.map((path) => `--exclude=${path}`), patch], { cwd: folder });
  return folder;
}

test('a run leaves nothing of its session in memory, and without the patch of ADK it does', {
  timeout: 120_000,
}, async () => {
  const folder = await unpatched();
  const patched = await measure();
  const before = await measure(folder);
  await rm(folder, { recursive: true });
  expect([patched.majors, before.majors]).toEqual([0, 0]);
  expect(patched.bytesPerRun, 'the patch no longer helps, or our own code keeps runs').toBeLessThan(
    patched.payloadBytes / 4,
  );
  expect(before.bytesPerRun, 'ADK or V8 no longer needs the patch: remove it').toBeGreaterThan(before.payloadBytes);
});
