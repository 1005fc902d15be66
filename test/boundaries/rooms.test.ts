import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, relativeImportsOf } from './imports.ts';
import { arrowBack, mutualPairs, wrongLists } from './rooms.ts';
import { roomLists } from './rooms-of-services.ts';

const services = readdirSync(new URL('../../services', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => join('services', entry.name, 'src'));
const packages = ['lib', 'gateway/src/edge', ...services];
const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.split(sep).includes('test');
const sources = packages.flatMap(filesUnder).filter((file) => /\.m?ts$/.test(file) && !isTest(file));
const imports = relativeImportsOf(sources);

describe('rooms of services, of lib and of the edge', () => {
  test('every folder stands in the list of the folder around it, and every name of a list exists', () => {
    expect(wrongLists(roomLists, sources, packages)).toEqual([]);
  });

  test('an import goes only to what the list names before the importing file, type imports included', () => {
    expect(imports.flatMap(([file, target]) => arrowBack(roomLists, file, target) ?? [])).toEqual([]);
  });

  test('no two neighbours import each other at any depth', () => {
    expect(mutualPairs(imports)).toEqual([]);
  });
});

describe('the check of rooms', () => {
  const lists = { src: 'errors.ts store mail context.ts rpc', 'src/mail': 'smtp posts' };

  test('refuses an arrow back up, between rooms, from a room to a file, and deeper down', () => {
    expect(arrowBack(lists, 'src/store/notices.ts', 'src/mail/compose.ts')).toContain('stands after it');
    expect(arrowBack(lists, 'src/mail/send.ts', 'src/context.ts')).toContain('stands after it');
    expect(arrowBack(lists, 'src/mail/smtp/url.ts', 'src/mail/posts/post.ts')).toContain('stands after it');
    expect(arrowBack(lists, 'src/rpc/handlers.ts', 'src/service.ts')).toContain('stands after it');
    expect(arrowBack(lists, 'src/context.ts', 'src/service.ts')).toContain('stands after it');
  });

  test('lets an import go down, and an unlisted file import everything', () => {
    expect(arrowBack(lists, 'src/rpc/handlers.ts', 'src/mail/smtp/url.ts')).toBeUndefined();
    expect(arrowBack(lists, 'src/service.ts', 'src/rpc/handlers.ts')).toBeUndefined();
    expect(arrowBack(lists, 'src/service.ts', 'src/settings.ts')).toBeUndefined();
    expect(arrowBack(lists, 'src/mail/smtp/url.ts', 'src/mail/smtp/port.ts')).toBeUndefined();
  });

  test('finds an unlisted folder, a listed one that is gone, and two neighbours that import each other', () => {
    const found = ['src/errors.ts', 'src/store/a.ts', 'src/mail/smtp/b.ts', 'src/mail/inbox/c.ts'];
    expect(wrongLists({ src: 'errors.ts store mail rpc', 'src/mail': 'smtp' }, found, ['src'])).toEqual([
      'src/mail/inbox stands in no list',
      'src/rpc is listed and does not exist',
    ]);
    const back = [
      ['src/mail/a.ts', 'src/store/b.ts'],
      ['src/store/c.ts', 'src/mail/d.ts'],
    ] as const;
    expect(mutualPairs(back)).toEqual(['src: mail, store']);
  });
});
