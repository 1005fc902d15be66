import { describe, expect, it } from 'vitest';
import { SignInRequest } from '../../src/auth/sign-in/sign-in-record.ts';
import { SignUpRequest } from '../../src/auth/users/user-record.ts';
import { FormFields, type Issue, requestCheck } from '../../src/edge/validation/index.ts';
import { runAgentRequest } from '../../src/runs/run-record.ts';

const Run = runAgentRequest(undefined);
const ids = { userId: 'u', sessionId: 's', appName: 'a' };

function issuesOf(schema: object, input: unknown): readonly Issue[] {
  const outcome = requestCheck(schema, 'body')(input);
  return 'issues' in outcome ? outcome.issues : [];
}

function valueOf(schema: object, input: unknown): unknown {
  const outcome = requestCheck(schema, 'body')(input);
  return 'issues' in outcome ? outcome : outcome.value;
}

describe('a credential', () => {
  it('never appears in an answer, neither by itself nor inside the parent of a missing field', () => {
    const issues = issuesOf(SignUpRequest, { email: 'nobody', password: 'short' });
    expect(issues.map((issue) => [issue.loc[1], issue.type, 'input' in issue])).toEqual([
      ['first_name', 'missing', false],
      ['last_name', 'missing', false],
      ['email', 'value_error', true],
      ['password', 'string_too_short', false],
    ]);
  });

  it('does not appear in answers to bodies of the wrong shape, nor inside free-form maps', () => {
    expect(issuesOf(SignUpRequest, '{"password":"hunter22"}')[0]).not.toHaveProperty('input');
    expect(issuesOf(Run, { ...ids, stateDelta: { 'api-key': 'k' } })[0]).not.toHaveProperty('input');
  });

  it.each(['password=abc', '{"api_key": "abc"}', 'x-access-token : abc', "{'client-secret':'abc'}"])(
    'that text spells out is not repeated: %s',
    (text) => {
      expect(issuesOf(Run, { ...ids, newMessage: {}, stateDelta: text })).toEqual([
        { type: 'dict_type', loc: ['body', 'stateDelta'], msg: 'Input should be a valid dictionary' },
      ]);
    },
  );

  it("in a form is checked under the form's field names", () => {
    expect(issuesOf(SignInRequest, new FormFields('grant_type=x&password=p'))).toMatchObject([
      { type: 'string_pattern_mismatch', loc: ['body', 'grant_type'] },
      { type: 'missing', loc: ['body', 'username'] },
    ]);
    expect(valueOf(SignInRequest, { username: 'a@b.c', password: 'p' })).toEqual({ username: 'a@b.c', password: 'p' });
    expect(issuesOf(SignInRequest, { password: 'p' })).toEqual([
      { type: 'missing', loc: ['body', 'email'], msg: 'Field required' },
    ]);
  });
});
