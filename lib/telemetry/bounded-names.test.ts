import { expect, test } from 'vitest';
import { createBoundedNames } from './bounded-names.ts';

test('a label whose values others choose has a bounded number of short values', () => {
  const bounded = createBoundedNames(2);
  expect(['a', 'b', 'a', 'c', 'b'].map(bounded)).toEqual(['a', 'b', 'a', 'other', 'b']);
  expect(createBoundedNames(1)('x'.repeat(500))).toHaveLength(100);
});
