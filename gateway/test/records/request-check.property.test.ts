import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SignUpRequest } from '../../src/auth/users/user-record.ts';
import { requestCheck } from '../../src/edge/validation/index.ts';
import { runAgentRequest } from '../../src/runs/run-record.ts';
import { CreateSessionRequest } from '../../src/sessions/session-record.ts';

const names = [
  'userId',
  'user_id',
  'sessionId',
  'appName',
  'newMessage',
  'new_message',
  'parts',
  'role',
  'text',
  'inlineData',
  'data',
  'events',
  'author',
  'actions',
  'stateDelta',
  'groundingMetadata',
  'groundingChunks',
  'email',
  'password',
  '__proto__',
  'constructor',
  'toString',
];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), { maxKeys: 6 }),
  ),
})).value;

const schemas: [string, object][] = [
  ['a run', runAgentRequest(undefined)],
  ['a session', CreateSessionRequest],
  ['a sign-up', SignUpRequest],
];

it.each(schemas)('any JSON sent as %s gives a value or well-formed issues', (_, schema) => {
  const check = requestCheck(schema, 'body');
  fc.assert(
    fc.property(json, (input) => {
      const outcome = check(input);
      if (!('issues' in outcome)) return JSON.stringify(outcome.value) !== '';
      expect(outcome.issues.length).toBeGreaterThan(0);
      for (const issue of outcome.issues) {
        expect(issue.loc[0]).toBe('body');
        expect(issue.type).toMatch(/^[a-z_]+$/);
        expect(issue.msg).not.toBe('');
        expect(Object.keys(issue)).toEqual(['type', 'loc', 'msg', 'input', 'ctx'].filter((key) => key in issue));
      }
      return JSON.stringify(outcome.issues) !== '';
    }),
    { numRuns: 2000 },
  );
});
