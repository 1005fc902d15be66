// Builds the console into `dist` when its sources have changed since the last build, which takes seconds. Without Vite, as where only the
// dependencies of production are installed, it keeps what is there.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('.', import.meta.url));
const client = fileURLToPath(new URL('../sdk/typescript/src', import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(root, 'node_modules', '.console-stamp');
const compressed = /\.(js|css|svg|html)$/;

const stamp = fingerprint();
const isBuilt = existsSync(join(dist, 'index.html')) && existsSync(stampFile);
if (!isBuilt || readFileSync(stampFile, 'utf8') !== stamp) await buildConsole();

async function buildConsole() {
  const vite = await import('vite').catch(() => undefined);
  if (vite === undefined) return;
  const startedMs = performance.now();
  rmSync(stampFile, { force: true });
  await vite.build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  for (const file of filesUnder(dist)) if (compressed.test(file)) compress(file);
  writeFileSync(stampFile, stamp);
  process.stderr.write(`agent-mesh: built the console in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
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
