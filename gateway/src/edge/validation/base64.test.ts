import { describe, expect, it } from 'vitest';
import { readBase64 } from './base64.ts';

describe('base64', () => {
  it.each([
    ['+/+/', '-_-_'],
    ['-_-_', '-_-_'],
    ['YWI', 'YWI='],
    ['YQ==', 'YQ=='],
    ['', ''],
  ])('%s is answered as %s', (text, value) => {
    expect(readBase64(text)).toEqual({ value });
  });

  it.each([
    ['a', 'Invalid input length: 1'],
    ['a=b=', 'Invalid symbol 61, offset 1.'],
    ['+-+-', 'Invalid symbol 45, offset 1.'],
    ['YWJ=x', 'Invalid symbol 61, offset 3.'],
    ['YWJj ', 'Invalid symbol 32, offset 4.'],
    ['ä', 'Invalid symbol 195, offset 0.'],
    ['YR', 'Invalid last symbol 82, offset 1.'],
  ])('%s is refused: %s', (text, fault) => {
    expect(readBase64(text)).toEqual({ fault });
  });
});
