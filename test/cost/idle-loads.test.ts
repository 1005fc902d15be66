import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle } from '../../scripts/bundle.mjs';
import { startMesh } from '../mesh.ts';

/** Packages that a process without work does not need, and that are loaded with the first call that does. Each is several megabytes of a process. */
const loadedLate = [
  '@a2a-js/sdk',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai',
  '@aws-sdk/client-s3',
  '@google-cloud/vertexai',
  '@mikro-orm/core',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@opentelemetry/sdk-node',
  'google-auth-library',
  'undici',
  'winston',
];
/** Services with jobs. The others do without pg-boss. */
const withJobs = ['auth', 'memory', 'webhooks'];
/** Node loads its own HTTP client, 14 MB and 34 ms, with the first call of it, or for an import statement of its module `http`. */
const ownClient = 'NativeModule internal/deps/undici/undici';

test('a process without work has loaded no library of vendors, no client of HTTP, and a job queue only where it has jobs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loaded-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(folder, { recursive: true }));
  const program = join((await bundle()) ?? expect.fail('nothing is bundled'), 'main.mjs');
  const env = {
    NODE_OPTIONS: `--import=${new URL('./list-loaded.ts', import.meta.url).href}`,
    LOADED_DIR: folder,
  };
  const mesh = await startMesh({ mode: 'separate', program, env });
  await mesh[Symbol.asyncDispose]();
  const processes = await readdir(folder);
  expect(processes).toHaveLength(9);
  for (const file of processes) {
    const service = file.replace('.json', '');
    const loaded = JSON.parse(readFileSync(join(folder, file), 'utf8')) as string[];
    const packages = new Set(loaded.flatMap(packagesOf));
    expect([service, packages.has('pino'), packages.has('@google/adk')]).toEqual([service, true, service === 'runs']);
    expect([service, loadedLate.filter((name) => packages.has(name))]).toEqual([service, []]);
    expect([service, packages.has('pg-boss')]).toEqual([service, withJobs.includes(service)]);
    expect([service, loaded.includes(ownClient)]).toEqual([service, false]);
  }
}, 120_000);

/** Packages of which a file holds a part: those of its own path, and of the sources that it was bundled of. */
function packagesOf(url: string): string[] {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  if (!path.includes('/.bundle/')) return [packageOf(path)];
  const map = `${path}.map`;
  if (!existsSync(map)) return [];
  return (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources.map(packageOf);
}

function packageOf(path: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
}
