import { expect, test } from 'vitest';
import { type Component, knownVulnerabilities, refusedLicenses } from './supply-chain-faults.ts';

const component = (name: string, version: string, id?: string): Component => ({
  name,
  version,
  ...(id !== undefined && { licenses: [id.includes(' ') ? { expression: id } : { license: { id } }] }),
});

test('a licence is allowed by its name, or by one of several that can be chosen; none is refused', () => {
  const allowed = ['MIT', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)'].map((id) => component('a', '1.0.0', id));
  expect(refusedLicenses(allowed)).toEqual([]);
  const refused = [component('b', '1.0.0', 'GPL-3.0-only'), component('c', '1.0.0', '(MIT AND GPL-3.0-only)')];
  expect(refusedLicenses([...refused, component('d', '1.0.0')])).toEqual([
    'b@1.0.0 has the licence GPL-3.0-only',
    'c@1.0.0 has the licence (MIT AND GPL-3.0-only)',
    'd@1.0.0 has the licence none',
  ]);
});

test('a package in the range of a vulnerability is found by its version, as numbers', () => {
  const vulnerabilities = [{ atOrAbove: '4.0.0', below: '4.17.11', identifiers: { githubID: 'GHSA-1', summary: 's' } }];
  const database = [{ name: 'lodash', vulnerabilities }];
  const packages = ['3.9.0', '4.17.5', '4.17.11', '4.17.21'].map((version) => component('lodash', version));
  expect(knownVulnerabilities([...packages, component('other', '1.0.0')], database)).toEqual({
    found: ['lodash@4.17.5 is vulnerable: GHSA-1 s'],
    known: 4,
  });
});
