// Builds the console into `dist` when its sources have changed since the last build, which takes seconds. Without Vite, as where only the
// dependencies of production are installed, it keeps what is there. Files of former builds stay for a week: servers that run and pages that are
// open go on to load them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('.', import.meta.url));
const client = fileURLToPath(new URL('../sdk/typescript/src', import.meta.url));
const dist = join(root, 'dist');
const buildFile = join(root, 'node_modules', '.console-build.json');
const keptMs = 7 * 24 * 60 * 60 * 1000;
const compressed = /\.(js|css|svg|html)$/;

const stamp = fingerprint();
if (builtStamp() !== stamp) await buildConsole();

async function buildConsole() {
  const vite = await import('vite').catch(() => undefined);
  if (vite === undefined) return;
  const startedAtMs = Date.now();
  rmSync(buildFile, { force: true });
  removeOlder();
  await vite.build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    build: { emptyOutDir: false, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  for (const file of filesUnder(dist)) if (compressed.test(file) && isNewer(file, startedAtMs - 1000)) compress(file);
  writeFileSync(buildFile, JSON.stringify({ stamp }));
  process.stderr.write(`agent-mesh: built the console in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
}

/** Stamp of the last build; undefined without one. */
function builtStamp() {
  const isBuilt = existsSync(join(dist, 'index.html')) && existsSync(buildFile);
  return isBuilt ? JSON.parse(readFileSync(buildFile, 'utf8')).stamp : undefined;
}

function removeOlder() {
  const folder = join(dist, 'assets');
  if (!existsSync(folder)) return;
  for (const file of filesUnder(folder)) if (!isNewer(file, Date.now() - keptMs)) rmSync(file);
}

/** Whether a build has written a file since then. A build writes its files anew even when they have not changed. */
function isNewer(file, sinceMs) {
  return statSync(file).mtimeMs >= sinceMs;
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
