import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callersFile, callersText } from './callers/callers-of-services.ts';
import { clientTypesFile, clientTypesText } from './client-types.ts';
import { faultsOf, readCommits } from './commits.ts';
import { lostCallers, lostReaders } from './callers/lost-callers.ts';
import { arePythonModelsCurrent, pythonModelsFile } from './python-models.ts';

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

/** Number of past changes of the proto files that the current ones must stay compatible with. */
const contractMemory = 10;
const protoFiles = ['--', 'proto/**/*.proto'];

/**
 * Compares the proto files with earlier ones: those of the newest release, those at the point where this branch left main, and
 * those before the last `contractMemory` changes. This finds a breaking change on the branch that makes it, and on main for
 * some time. Nothing is compared with commits before the first release.
 */
async function breaking(): Promise<Outcome> {
  const [release] = await git('describe', '--tags', '--abbrev=0', '--match=v*');
  if (release === undefined) return { ok: true, output: 'skipped: the history here holds no release' };
  const bases = await contractBases(release);
  const [head] = await git('rev-parse', 'HEAD');
  const shortHistory = 'skipped in part: the history here holds no earlier proto files, as in a shallow clone';
  const folder = mkdtempSync(join(tmpdir(), 'agentmesh-proto-'));
  try {
    const outcomes = await Promise.all(bases.map((commit) => breakingSince(commit, join(folder, commit))));
    const broken = outcomes.filter(({ ok }) => !ok);
    if (broken.length > 0) return { ok: false, output: broken.map(({ output }) => output).join('\n') };
    return { ok: true, output: bases.some((commit) => commit !== head) ? '' : shortHistory };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Commits whose proto files are compared, without duplicates: the newest release, and later ones. */
async function contractBases(release: string): Promise<string[]> {
  const last = await git('log', `--max-count=${contractMemory}`, '--format=%H', `${release}..HEAD`, ...protoFiles);
  const found = [
    await git('merge-base', 'HEAD', 'origin/main'),
    await git('merge-base', 'HEAD', 'main'),
    await git('rev-parse', '--verify', `${last.at(-1) ?? 'HEAD'}~`),
  ];
  const isReleased = await Promise.all(
    found.flat().map(async (commit) => (await git('merge-base', release, commit))[0] === commit),
  );
  const names = [release, ...found.flat().filter((_, index) => isReleased[index] !== true)];
  const commits = await Promise.all(names.map((name) => git('rev-parse', '--verify', `${name}^{commit}`)));
  const present = await Promise.all(
    [...new Set(commits.flat())].map(async (commit) => {
      const files = await git('ls-tree', '-r', '--name-only', commit, 'proto');
      return files.some((file) => file.endsWith('.proto')) ? [commit] : [];
    }),
  );
  return present.flat();
}

/** Copies the proto files of a commit to a folder first: buf's own git input takes branches and tags only, and fetches little history. */
async function breakingSince(commit: string, folder: string): Promise<Outcome> {
  mkdirSync(folder);
  const copied = await run('sh', ['-c', 'git archive "$0" buf.yaml proto | tar -x -C "$1"', commit, folder]);
  if (!copied.ok) return copied;
  const { ok, output } = await run(bin('buf'), ['breaking', '--against', folder]);
  const lost = [lostCallers, lostReaders].flatMap((find) => find(bin('buf'), folder, root));
  const faults = [output, ...lost].join('\n');
  return { ok: ok && lost.length === 0, output: `against ${commit.slice(0, 10)}:\n${faults}` };
}

/** Output lines of git; none when it fails. */
async function git(...args: string[]): Promise<string[]> {
  const { ok, output } = await run('git', args);
  return ok ? output.split('\n').filter((line) => line !== '') : [];
}

/** Generates into a temporary folder and compares, so that the check does not change the working tree. */
async function generated(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'agentmesh-gen-'));
  try {
    const made = await run(bin('buf'), ['generate', '--output', folder]);
    if (!made.ok) return made;
    const { ok, output } = await run('diff', ['-r', join(folder, 'proto', 'gen'), join(root, 'proto', 'gen')]);
    if (!ok) return { ok, output: `${output}proto/gen does not match the proto files: run npm run generate` };
    const isCurrent = readFileSync(join(root, callersFile), 'utf8') === (await callersText(join(root, 'proto', 'gen')));
    return {
      ok: isCurrent,
      output: isCurrent ? '' : `${callersFile} does not match the proto files: run npm run generate`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compares the types of the clients with the routes of the gateway. */
async function clientsGenerated(): Promise<Outcome> {
  const current = readFileSync(join(root, clientTypesFile), 'utf8') === (await clientTypesText());
  const stale = [
    ...(current ? [] : [clientTypesFile]),
    ...((await arePythonModelsCurrent()) ? [] : [pythonModelsFile]),
  ];
  return {
    ok: stale.length === 0,
    output: stale.map((it) => `${it} does not match the gateway: run npm run generate`).join('\n'),
  };
}

/** Compares the messages of the branch's commits with what CONTRIBUTING.md asks for. */
async function commits(): Promise<Outcome> {
  const found = await readCommits(root);
  if (found === undefined) return { ok: true, output: 'skipped: the history here holds no default branch' };
  const faults = found.flatMap(faultsOf);
  return { ok: faults.length === 0, output: faults.join('\n') };
}

const write = process.argv.includes('--write');

/** Two lanes run at the same time, because the smallest machine has two cores. The slowest steps come first. */
const lanes: readonly (readonly Step[])[] = [
  [
    write ? step('format', bin('biome'), 'format', '--write') : step('format', bin('biome'), 'format'),
    step('types', bin('tsc'), '-b', '--pretty', 'false'),
    step('unused', bin('knip'), '--no-progress'),
  ],
  [
    step('lint', bin('oxlint'), '--format', 'unix'),
    { name: 'commits', run: commits },
    step('proto lint', bin('buf'), 'lint'),
    { name: 'proto breaking', run: breaking },
    { name: 'proto generated', run: generated },
    { name: 'clients generated', run: clientsGenerated },
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
