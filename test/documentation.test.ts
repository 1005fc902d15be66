import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Service } from '@agentmesh/lib/service';
import { describe, expect, test } from 'vitest';
import { root, undocumented, words } from './deployed-settings.ts';

const sources = globSync('{gateway,lib,services}/**/*.ts', { cwd: root }).filter(
  (file) => !/node_modules|\bdist\b|\btest\b|\btesting\b|\/test-/.test(file),
);
const errors = ['errors.md', 'errors-of-runs.md'].map((page) => readFileSync(join(root, 'docs', page), 'utf8')).join();

/** Whether a test or a group of tests in this file has this title. */
function hasTest(file: string, title: string): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  return ["'", '"', '`'].some((mark) => readFileSync(path, 'utf8').includes(`${mark}${title}${mark}`));
}

describe('the documentation', () => {
  test.each(words)('names every setting of %s', async (word) => {
    const exported = (await import(`@agentmesh/${word}`)) as Record<string, Service>;
    const settings = Object.keys(exported[word]?.settings ?? {});
    expect(settings).not.toEqual([]);
    expect(undocumented(settings)).toEqual([]);
  });

  test('links to files that exist', () => {
    const pages = globSync(['*.md', 'docs/**/*.md', '{deploy,gateway,lib,cli}/*.md', '{services,sdk}/*/*.md'], {
      cwd: root,
    });
    // The table of what was broken on purpose names tests, too.
    const broken = pages.flatMap((page) => {
      const prose = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
      return Array.from(prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, to = '']) => to)
        .filter((to) => !existsSync(join(root, dirname(page), to)))
        .map((to) => `${page} -> ${to}`);
    });
    expect(broken).toEqual([]);
  });

  test('has no page that is longer than 300 lines, and the README leads to each', () => {
    const pages = globSync('docs/*.md', { cwd: root }).map((page) => page.replaceAll('\\', '/'));
    const lengthOf = (page: string) => readFileSync(join(root, page), 'utf8').split('\n').length - 1;
    const long = pages.filter((page) => lengthOf(page) > 300);
    expect(long).toEqual([]);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(pages.filter((page) => !readme.includes(`(${page})`))).toEqual([]);
  });

  test('begins each page with what it is for', () => {
    const pages = globSync('docs/*.md', { cwd: root });
    const openingOf = (page: string) => readFileSync(join(root, page), 'utf8').split('\n').slice(0, 3);
    const others = pages.filter((page) => !/^# .+\n\n[A-Z`[]/.test(openingOf(page).join('\n')));
    expect(others).toEqual([]);
  });

  test('has a section of the changelog with a date for the version of the product', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    expect(changes).toMatch(new RegExp(`^## ${RegExp.escape(version)} - \\d{4}-\\d\\d-\\d\\d$`, 'm'));
  });

  test('names for each item of the security model tests that exist', () => {
    const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
    const model = page.slice(page.indexOf('## What holds'), page.indexOf('## Which secret'));
    const items = model.split('\n').filter((line) => line.startsWith('- '));
    expect(items.length).toBeGreaterThan(30);
    // The table of what was broken on purpose names tests, too.
    const broken = page.slice(page.indexOf('## What was broken')).split('\n');
    items.push(...broken.filter((line) => line.includes('.test.ts)')));
    const missing = items.flatMap((item) => {
      const named = Array.from(item.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g));
      if (named.length === 0) return [item];
      return named.filter(([, title = '', file = '']) => !hasTest(file, title)).map(([link]) => link);
    });
    expect(missing).toEqual([]);
  });

  test('names one license everywhere', () => {
    const read = (file: string): string => readFileSync(join(root, file), 'utf8');
    const manifests = globSync(
      ['package.json', '{cli,gateway,lib,proto,test}/package.json', '{services,sdk}/*/package.json'],
      {
        cwd: root,
      },
    );
    expect(manifests.length).toBeGreaterThan(8);
    for (const file of manifests) expect([file, JSON.parse(read(file))]).toMatchObject([file, { license: 'MIT' }]);
    expect(read('LICENSE')).toMatch(/^MIT License\n\nCopyright \(c\) \d{4} The Agent Mesh authors\n/);
    expect(read('deploy/Dockerfile')).toContain('org.opencontainers.image.licenses="MIT"');
    expect(read('deploy/chart/Chart.yaml')).toContain('license: MIT');
  });

  test('lists the reason of every error that a service returns', () => {
    const made = /new MeshError\(\s*'\w+',\s*'(\w+)'/g;
    const reasons = sources.flatMap((file) =>
      Array.from(readFileSync(join(root, file), 'utf8').matchAll(made), ([, reason = '']) => reason),
    );
    // Clients never receive this one: the gateway aborts a call with it when its client has disconnected.
    const unseen = new Set(['client_left']);
    expect(reasons.length).toBeGreaterThan(50);
    expect([...new Set(reasons)].filter((it) => !unseen.has(it) && !errors.includes(`\`${it}\``))).toEqual([]);
  });
});
