import { describe, expect, it } from 'vitest';
import { byteRange } from './byte-range.ts';

describe('a range of 10 bytes', () => {
  it.each([
    [undefined, 'all'],
    ['bytes=0-3', { start: 0, end: 3 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=8-99', { start: 8, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    ['Bytes= 9-9 ', { start: 9, end: 9 }],
    ['bytes=10-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=5-4', 'all'],
    ['bytes=-', 'all'],
    ['bytes=0-1,3-4', 'all'],
    ['bytes=a-b', 'all'],
    ['items=0-1', 'all'],
    ['bytes=4-18446744073709551615', { start: 4, end: 9 }],
    ['bytes=-18446744073709551615', { start: 0, end: 9 }],
    ['bytes=99999999999999999999-', 'none'],
  ])('%s is %j', (header, expected) => {
    expect(byteRange(header, 10)).toEqual(expected);
  });

  it('is none where there are no bytes', () => {
    expect([byteRange('bytes=0-', 0), byteRange('bytes=-1', 0)]).toEqual(['none', 'none']);
  });
});
