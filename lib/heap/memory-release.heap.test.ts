import { expect, test } from 'vitest';
import { measureInChild } from '../heap-testing/index.ts';

const script = new URL('./memory-release.heap.ts', import.meta.url);

test('with release, passing buffers take less than half of the memory', async () => {
  const [ours, plain] = [await measureInChild(script, 'release'), await measureInChild(script, 'plain')];
  expect(plain).toBeGreaterThan(32 * 1024 * 1024);
  expect(ours).toBeLessThan(plain / 2);
});
