import { expect, test } from 'vitest';
import { headerText, idInHeader } from './invocation-header.ts';

test.each(['trip', 'café 旅', 'a\u0000b', '𝄞%'])('the id %j that a header names is read from it again', (id) => {
  expect(idInHeader(headerText(id))).toBe(id);
});

test.each(['50%', '%zz', '%E0%A4', 'a%20b', '100%25', 'caf%c3', 'café'])(
  'a header %j that no answer encodes so is the id as it stands',
  (text) => {
    expect(idInHeader(text)).toBe(text);
  },
);
