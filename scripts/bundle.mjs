// Bundles the product into some files below `node_modules/.bundle`, which start in half of the processor time and with two thirds of the memory: Node finds, reads and
// links a hundred modules in place of two thousand, and strips no types. Each state of the sources has a folder of its own, so that processes of an earlier one still find
// what they load later. Prints the folder; nothing where Vite is not installed, as with the dependencies of production alone: then the sources run as they are.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './bundling/at-home.mjs';
import { programs, worker } from './bundling/builds.mjs';

const dayMs = 24 * 60 * 60 * 1000;
/** Time for which a folder is kept that no process has renewed. */
const keptMs = 7 * dayMs;

const sources = [
  'main.ts',
  '{lib,gateway/src,services/*/src}/**/*.ts',
  'proto/**/*.{js,ts}',
  'scripts/{bundle.mjs,bundling/*.mjs,dev.ts,choose-ports.ts}',
  '{.,lib,gateway,proto,services/*}/package.json',
  'pnpm-lock.yaml',
  'patches/*',
];

/** Names the state of everything that is bundled. */
export function stampOf(root) {
  const exclude = (path) => /(^|\/)(node_modules|dist|test|testing)$/.test(path);
  const files = globSync(sources, { cwd: root, exclude }).filter((file) => !file.endsWith('.test.ts'));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** The folder of the bundle of the present sources; undefined when there is none and none may be made. */
export async function bundle({ name = stampOf(repository), mayBuild = true } = {}) {
  const all = join(repository, 'node_modules', '.bundle');
  const folder = join(all, name);
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  const rolldown = mayBuild ? await findRolldown() : undefined;
  if (rolldown === undefined) return undefined;
  const startedAtMs = Date.now();
  removeOlder(all);
  await build(rolldown, folder);
  process.stderr.write(`agent-mesh: bundled the product in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  return folder;
}

/** The bundler of Vite. */
async function findRolldown() {
  try {
    const vite = createRequire(import.meta.url).resolve('vite');
    const { rolldown } = await import(pathToFileURL(createRequire(vite).resolve('rolldown')).href);
    return rolldown;
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function removeOlder(all) {
  mkdirSync(all, { recursive: true });
  for (const folder of readdirSync(all).map((name) => join(all, name)))
    if (statSync(folder).mtimeMs < Date.now() - keptMs) rmSync(folder, { recursive: true, force: true });
}

/** Builds beside the folder, which is there at once or not at all. Another process may build the same. */
async function build(rolldown, folder) {
  const dir = mkdtempSync(`${folder}-`);
  for (const { input, output } of [programs(dir), worker(dir)]) {
    const made = await rolldown(input);
    await made.write(output);
    await made.close();
  }
  // The image runs it as another user than the one that has built it.
  chmodSync(dir, 0o755);
  try {
    renameSync(dir, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(dir, { recursive: true });
  }
}

if (import.meta.main) {
  const [name] = process.argv.slice(2);
  const folder = await bundle(name === '--if-built' ? { mayBuild: false } : { name });
  if (folder !== undefined) process.stdout.write(folder);
}
