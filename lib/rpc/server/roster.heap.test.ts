import { expect, test } from 'vitest';
import { measureInChild } from '../../heap-testing/index.ts';

const script = new URL('./roster.heap.ts', import.meta.url);

test.each(['set', 'map'])(
  'a roster lets go of what has left it, where a %s keeps it until the next full collection',
  async (plain) => {
    const [ours, theirs] = [await measureInChild(script, 'roster'), await measureInChild(script, plain)];
    expect(theirs).toBeGreaterThan(1_000_000);
    expect(ours).toBeLessThan(theirs / 4);
  },
);
