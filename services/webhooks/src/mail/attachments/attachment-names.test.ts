import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachmentNames } from './attachment-names.ts';

test.each([
  [['a.pdf', 'a.pdf', 'a (2).pdf', 'a.pdf']],
  [['../../etc/passwd', '..\\x', '..', '.', '', ' \u200B']],
  [['metadata.json', 'METADATA.JSON', 'x/metadata.json', 'metadata_.json']],
  [[`${'long '.repeat(200)}.pdf`, `${'long '.repeat(200)}.pdf`]],
])('the files %j of a mail have names that are unique and safe', (filenames) => {
  expectSafe(attachmentNames(filenames), filenames.length);
});

test('names of any files are unique and safe', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 20 }), (filenames) => {
      expectSafe(attachmentNames(filenames), filenames.length);
    }),
  );
});

test('ordinary names stay as they are', () => {
  expect(attachmentNames(['Rechnung März.pdf', '請求書.pdf'])).toEqual(['Rechnung März.pdf', '請求書.pdf']);
});

function expectSafe(names: readonly string[], number: number): void {
  expect(new Set(names).size).toBe(number);
  for (const name of names) {
    expect(name).not.toMatch(/[/\\\p{Cc}]|^\.*$|metadata\.json$|^\s|\s$/iu);
    expect(name.length).toBeLessThan(160);
    expect(name.isWellFormed()).toBe(true);
  }
}
