// Builds the console into `dist` when its sources have changed since the last build, which takes seconds. Without Vite, as where only the
// dependencies of production are installed, it keeps what is there. Files of the build before stay until the next build: a running server goes
// on to serve them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('.', import.meta.url));
const client = fileURLToPath(new URL('../sdk/typescript/src', import.meta.url));
const dist = join(root, 'dist');
const buildFile = join(root, 'node_modules', '.console-build.json');
const compressed = /\.(js|css|svg|html)$/;

const stamp = fingerprint();
const former = readFormer();
if (former.stamp !== stamp) await buildConsole();

async function buildConsole() {
  const vite = await import('vite').catch(() => undefined);
  if (vite === undefined) return;
  const startedMs = performance.now();
  rmSync(buildFile, { force: true });
  removeOlder();
  const { output } = await vite.build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    build: { emptyOutDir: false, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const assets = output.map(({ fileName }) => fileName);
  for (const file of filesUnder(dist)) if (compressed.test(file)) compress(file);
  writeFileSync(buildFile, JSON.stringify({ stamp, assets }));
  process.stderr.write(`agent-mesh: built the console in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
}

/** The stamp of the last build and the files that it wrote. */
function readFormer() {
  const isBuilt = existsSync(join(dist, 'index.html')) && existsSync(buildFile);
  return isBuilt ? JSON.parse(readFileSync(buildFile, 'utf8')) : { assets: [] };
}

/** Removes the files of builds before the last one. */
function removeOlder() {
  const folder = join(dist, 'assets');
  if (!existsSync(folder)) return;
  for (const file of filesUnder(folder)) {
    const name = relative(dist, file).replace(/\.(br|gz)$/, '');
    if (!former.assets.includes(name)) rmSync(file);
  }
}

function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

function fingerprint() {
  const own = ['index.html', 'package.json', 'build.mjs'].map((name) => join(root, name));
  const files = [...own, ...filesUnder(join(root, 'src')), ...filesUnder(join(root, 'public')), ...filesUnder(client)];
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(`${relative(root, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
