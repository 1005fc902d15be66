import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const version = '12.21.0';
const run = promisify(execFile);
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
let folder: string;
let registry: string;
/** False: the registry takes requests and never answers. */
let answers = true;

/** A package named pnpm, whose program makes the folder of the modules. */
async function packPnpm(): Promise<Buffer> {
  const from = join(folder, 'pnpm');
  await mkdir(from);
  const manifest = { name: 'pnpm', version, bin: { pnpm: 'pnpm.js' } };
  await writeFile(join(from, 'package.json'), JSON.stringify(manifest));
  const program = "#!/usr/bin/env node\nrequire('node:fs').mkdirSync('node_modules', { recursive: true });\n";
  await writeFile(join(from, 'pnpm.js'), program, { mode: 0o755 });
  await run('npm', ['pack', from, '--pack-destination', folder], { cwd: folder });
  return readFile(join(folder, `pnpm-${version}.tgz`));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installing-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const tarball = await packPnpm();
  const server = createServer((request, response) => {
    if (!answers) return;
    if (request.url?.endsWith('.tgz')) return response.end(tarball);
    // Not one of the requests for known vulnerabilities.
    if (request.url !== '/pnpm') return response.end('{}');
    // Without a preference npm asks each time whether a copy is still good.
    response.setHeader('cache-control', 'public, max-age=0').setHeader('etag', '"1"');
    const dist = { tarball: `${registry}/pnpm.tgz` };
    const packument = { name: 'pnpm', versions: { [version]: { name: 'pnpm', version, bin: 'pnpm.js', dist } } };
    response.end(JSON.stringify({ ...packument, 'dist-tags': { latest: version } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  resources.defer(async () => {
    server.closeAllConnections();
    server.close();
  });
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

/** A checkout with the entry point of the npm scripts alone. `npm run check` of it prints `checked`. */
async function makeCheckout(): Promise<string> {
  const root = await mkdtemp(join(folder, 'checkout-'));
  for (const name of ['scripts', 'services', 'sdk']) await mkdir(join(root, name));
  for (const name of ['run.mjs', 'slow-work.mjs'])
    await cp(new URL(name, import.meta.url), join(root, 'scripts', name));
  const config = { pnpm: `pnpm@${version}`, serverFlags: '' };
  await writeFile(join(root, 'package.json'), JSON.stringify({ config, optionalDependencies: {} }));
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) await writeFile(join(root, name), '');
  await writeFile(join(root, 'scripts', 'check.ts'), "console.log('checked');\n");
  return root;
}

/** Starts `npm run check` in a new checkout. Returns the function that tells what it has written. */
async function check(cache: string): Promise<() => string> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_registry: registry,
    npm_config_cache: join(folder, cache),
    npm_config_update_notifier: 'false',
  };
  const cwd = await makeCheckout();
  const child = spawn(process.execPath, ['scripts/run.mjs', 'check'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  resources.defer(async () => {
    child.kill();
    await ended;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  return () => output;
}

describe('the installation of changed dependencies', () => {
  test('does not ask the registry for a pnpm that is here', { timeout: 60_000 }, async () => {
    for (const isReachable of [true, false]) {
      answers = isReachable;
      await expect.poll(await check('cache'), { timeout: 20_000 }).toContain('checked\n');
    }
  });

  test('says while it lasts that the registry may not be reachable', { timeout: 60_000 }, async () => {
    answers = false;
    const told = 'still installing after 15 s; if that lasts for minutes, the npm registry is slow or not reachable';
    await expect.poll(await check('empty-cache'), { timeout: 40_000 }).toContain(told);
  });
});
