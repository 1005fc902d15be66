import fc from 'fast-check';
import { expect, test } from 'vitest';
import { subjectOf } from './subject.ts';

const packages = fc.constantFrom('agentmesh.auth.v1', 'agentmesh.runs.v2', 'a');
const names = fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,40}$/);

test.each([
  ['agentmesh.auth.v1.AccountDeleted', 'agentmesh.auth.v1.account_deleted'],
  ['agentmesh.keys.v2.Sha256Sum', 'agentmesh.keys.v2.sha256_sum'],
  ['agentmesh.runs.v1.A', 'agentmesh.runs.v1.a'],
])('%s is published on %s', (typeName, subject) => {
  expect(subjectOf({ typeName })).toBe(subject);
});

test('a subject is the package and one lower-case word in snake case', () => {
  fc.assert(
    fc.property(packages, names, (inPackage, name) => {
      const subject = subjectOf({ typeName: `${inPackage}.${name}` });
      expect(subject.startsWith(`${inPackage}.`)).toBe(true);
      expect(subject.slice(inPackage.length + 1)).toMatch(/^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$/);
    }),
  );
});

test('two message types have two subjects', () => {
  fc.assert(
    fc.property(packages, names, packages, names, (package1, name1, package2, name2) => {
      const [one, other] = [`${package1}.${name1}`, `${package2}.${name2}`];
      expect(subjectOf({ typeName: one }) === subjectOf({ typeName: other })).toBe(one === other);
    }),
  );
});
