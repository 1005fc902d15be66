import { expect, test } from 'vitest';
import { stripTypes } from './strip-types.ts';

const strip = (source: string): string => stripTypes(source, 'file:///app/tools.ts');

test('imports that only types used are left out, wherever they stand', () => {
  const code = strip(`
    import { type A, B, c } from './a.ts';
    const d: B = c;
    import { E } from './e.ts';
    export const f = (e: E) => [d, e];`);
  expect(code).toMatch(/import \{ *c *\} from '.\/a.ts'/);
  expect(strip("import { type A, c } from './a.ts'; export const b: A = c;")).toMatch(/^import \{ *c \} from/);
  expect(code).toMatch(/import \{ *\} from '.\/e.ts'/);
});

test('an import in a text or a comment stays as it is', () => {
  const text = `
export const instruction = \`Write a component, e.g.
import { useState } from 'react';
and nothing else.\`;
/*
import { nothing } from 'nowhere';
*/
export const shown: string = instruction;`;
  expect(strip(text)).toContain(text.replace(': string', '        '));
});
