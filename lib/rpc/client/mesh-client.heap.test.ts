import { expect, test } from 'vitest';
import { measureInChild } from '../../heap-testing/index.ts';

const script = new URL('./mesh-client.heap.ts', import.meta.url);

test('a server stream that has ended is freed by minor collections, where Connect’s client keeps it until the next full collection', async () => {
  const [ours, theirs] = [await measureInChild(script, 'mesh'), await measureInChild(script, 'connect')];
  expect(theirs).toBeGreaterThan(4_000_000);
  expect(ours).toBeLessThan(theirs / 4);
});
