import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

interface Step {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
}

function run(file: string, args: readonly string[]): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.once('error', reject);
  child.once('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString() }));
  return promise;
}

function step(name: string, file: string, ...args: string[]): Step {
  return { name, run: () => run(file, args) };
}

/** Against what has landed on main: whoever speaks the contract of there must still be understood. */
async function breaking(): Promise<Outcome> {
  for (const ref of ['origin/main', 'main', 'HEAD']) {
    const landed = await run('git', ['ls-tree', '-r', '--name-only', ref, 'proto']);
    if (!landed.ok) continue;
    if (!landed.output.includes('.proto')) break;
    return run(bin('buf'), ['breaking', '--against', `.git#ref=${ref}`]);
  }
  return { ok: true, output: 'skipped: no earlier proto files' };
}

/** Generates into a folder of its own and compares, so that a check never changes the tree. */
async function generated(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'agentmesh-gen-'));
  try {
    const made = await run(bin('buf'), ['generate', '--output', folder]);
    if (!made.ok) return made;
    const { ok, output } = await run('diff', ['-r', join(folder, 'proto', 'gen'), join(root, 'proto', 'gen')]);
    return { ok, output: ok ? output : `${output}proto/gen is not what the proto files say: npm run generate` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const write = process.argv.includes('--write');

/** Two lanes, as the smallest machine has two cores; the slowest steps first. */
const lanes: readonly (readonly Step[])[] = [
  [
    write ? step('format', bin('biome'), 'format', '--write') : step('format', bin('biome'), 'format'),
    step('types', bin('tsc'), '-b', '--pretty', 'false'),
    step('unused', bin('knip'), '--no-progress'),
  ],
  [
    step('lint', bin('oxlint'), '--format', 'unix'),
    step('proto lint', bin('buf'), 'lint'),
    { name: 'proto breaking', run: breaking },
    { name: 'proto generated', run: generated },
  ],
];

async function runStep({ name, run: start }: Step): Promise<boolean> {
  const began = performance.now();
  const { ok, output } = await start();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(16)} ${seconds} s`);
  const skipped = output.startsWith('skipped');
  if (!ok || skipped) console.log(output.trim().replaceAll(/^/gm, '        '));
  return ok;
}

async function runLane(steps: readonly Step[]): Promise<number> {
  let failed = 0;
  for (const it of steps) failed += (await runStep(it)) ? 0 : 1;
  return failed;
}

const failed = (await Promise.all(lanes.map(runLane))).reduce((sum, count) => sum + count, 0);
console.log(failed === 0 ? 'check passed' : `check failed: ${failed} of ${lanes.flat().length} steps`);
process.exitCode = failed === 0 ? 0 : 1;
