import { describe, expect, it } from 'vitest';
import { artifactTarget, versionNumber } from './artifact-target.ts';

describe('a path under /artifacts/', () => {
  it.each([
    ['a', { kind: 'artifact', name: 'a' }],
    ['a/b c.txt', { kind: 'artifact', name: 'a/b c.txt' }],
    ['versions', { kind: 'artifact', name: 'versions' }],
    ['a/versions', { kind: 'versions', name: 'a' }],
    ['a/b/versions/metadata', { kind: 'records', name: 'a/b' }],
    ['a/versions/3', { kind: 'version', name: 'a', version: '3' }],
    ['a/versions/latest/metadata', { kind: 'record', name: 'a', version: 'latest' }],
    ['a/versions/x/y', { kind: 'artifact', name: 'a/versions/x/y' }],
    ['a/metadata', { kind: 'artifact', name: 'a/metadata' }],
    ['versions/versions', { kind: 'versions', name: 'versions' }],
    ['a\nb/versions', { kind: 'versions', name: 'a\nb' }],
  ])('%j is %j', (path, target) => {
    expect(artifactTarget(path)).toEqual(target);
  });

  it.each([
    ['latest', undefined],
    ['0', 0],
    ['+7', 7],
    ['-1', -1],
    ['2147483648', -1],
    ['99999999999999999999', -1],
  ])('the version %s is %s', (text, version) => {
    expect(versionNumber(text)).toBe(version);
  });

  it.each(['', 'x', '1.0', '1e3', '0x1', ' 1'])('the version %j is refused', (text) => {
    expect(() => versionNumber(text)).toThrow('not valid');
  });
});
