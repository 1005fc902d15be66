import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './deployed-settings.ts';

const page = readFileSync(join(root, 'docs/adk-cases.md'), 'utf8');

/** Names of ADK's cases in a section of the page. */
function namesIn(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return Array.from(section.matchAll(/`((?:Test\w+\.)?test_\w+)`/g), ([, name = '']) => name).toSorted();
}

const files = globSync(['test/e2e/adk/*.test.ts', '{gateway,services/*}/test/adk-cases.test.ts'], { cwd: root });
const performed = files
  .flatMap((file) => Array.from(readFileSync(join(root, file), 'utf8').matchAll(/\btest\('((?:Test\w+\.)?test_\w+)'/g)))
  .map(([, name = '']) => name)
  .toSorted();

test('the page names each case that is performed under ADK’s name as one that passes, and no other one', () => {
  expect(performed.length).toBeGreaterThan(40);
  expect(namesIn('Cases that pass')).toEqual(performed);
});

test('each of ADK’s cases stands once on the page, and the page counts them', () => {
  const sections = ['Cases that pass', 'Cases that differ', 'Cases that send no request'].map(namesIn);
  const all = sections.flat();
  expect(all).toEqual([...new Set(all)]);
  const [pass, differ, other] = sections.map(({ length }) => length);
  expect(page).toContain(`${pass} pass, ${differ} differ, ${other} send no request`);
});
