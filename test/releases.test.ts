import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Sections of the changelog by their title without the date, newest first. */
const sections = read('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ version: /^\S+/.exec(text)?.[0] ?? '', text }));
const releases = sections.filter(({ version }) => version !== 'Unreleased').map(({ version }) => version);
const versionOf = (path: string): string => (JSON.parse(read(path)) as { version: string }).version;

test('each section of the changelog says what is to be done before an upgrade, and then what has changed', () => {
  for (const { version, text } of sections) {
    const headings = Array.from(text.matchAll(/^### (.+)$/gm), ([, heading]) => heading);
    expect([version, headings]).toEqual([version, ['Before you upgrade', 'Changes']]);
    const [, advice = ''] = /^### Before you upgrade\n(.*?)^### /ms.exec(text) ?? [];
    expect([version, /\w{3,}.*\.$/m.test(advice)]).toEqual([version, true]);
  }
});

test('the product has one version, that of the newest section: packages, clients and the chart', () => {
  const chart = parse(read('deploy/chart/Chart.yaml')) as { version: string; appVersion: string };
  const [, python] = /^version = "(.+)"$/m.exec(read('sdk/python/pyproject.toml')) ?? [];
  const packages = ['.', 'cli', 'sdk/typescript'].map((path) => versionOf(join(path, 'package.json')));
  expect([...packages, python, chart.version, chart.appVersion]).toEqual(Array.from({ length: 6 }, () => releases[0]));
});

test('sections are in the order of their versions, and each tag has one', () => {
  const byVersion = (a: string, b: string): number => b.localeCompare(a, 'en', { numeric: true });
  expect(releases).toEqual(releases.toSorted(byVersion));
  const tags = execFileSync('git', ['tag', '--list', 'v*'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
  for (const tag of tags) expect(releases).toContain(tag.slice(1));
});
