import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, test } from 'vitest';

/** Most bytes of the whole client as a page loads it: minified and compressed. */
const mostBytes = 12_000;

test('the client has at most 12 kB, and needs nothing of Node', async () => {
  const entry = fileURLToPath(new URL('../../sdk/typescript/src/index.ts', import.meta.url));
  const lib = { entry, formats: ['es' as const] };
  const built = await build({ configFile: false, logLevel: 'silent', build: { write: false, minify: true, lib } });
  const [{ output } = { output: [] }] = Array.isArray(built) ? built : [];
  const [chunk] = output;
  if (chunk?.type !== 'chunk') throw new Error('nothing was built');
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
  const bytes = gzipSync(chunk.code, { level: 9 }).length;
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(mostBytes);
});
