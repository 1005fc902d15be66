import { expect, test } from 'vitest';
import { measureInChild } from '../heap-testing/index.ts';

const script = new URL('./collect-when-idle.heap.ts', import.meta.url);

test('a process that has become idle gives back the garbage of its work, and one that is busy is not stopped for it', async () => {
  const [idle, busy] = [await measureInChild(script, 'idle'), await measureInChild(script, 'busy')];
  expect(busy).toBeGreaterThan(16 * 1024 * 1024);
  expect(idle).toBeLessThan(busy / 2);
});
